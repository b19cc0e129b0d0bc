#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/support/cuda/emulation_abi.h"
#include "tests/support/cuda/emulator.h"
#include "tests/support/cuda/race_tracker.h"

namespace tutti::test::cuda {

// The stacks of a block's fibers; kept for the next block.
class Stacks {
 public:
  static constexpr std::size_t kBytes = std::size_t{64} << 10;

  Stacks() = default;
  Stacks(const Stacks&) = delete;
  Stacks& operator=(const Stacks&) = delete;
  ~Stacks();

  void reserve(std::size_t count);
  // Lets the address sanitizer forget the frames of fibers that were left in their middle.
  void forget();
  // The address behind the last byte of a stack.
  void* top(std::size_t number) const { return memory_ + (number + 1) * kBytes; }
  bool contains(std::uintptr_t address) const {
    const auto begin = reinterpret_cast<std::uintptr_t>(memory_);
    return address >= begin && address < begin + bytes_;
  }

 private:
  void release();

  std::byte* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

// Runs the blocks of one launch, one after another. The threads of a block are fibers: each runs
// until it waits or ends, in an order that the options choose; when none can go on, what they wait
// for is given to them, or it is an error.
class EmulatedLaunch {
 public:
  EmulatedLaunch(tutti_emulation::Entry entry, const Extents& grid, const Extents& block,
                 void** arguments, const RunOptions& options);

  void run();

  // What the running thread asks for; on its fiber.
  const tutti_emulation::Place* place() const { return &threads_[running_].place; }
  void block_barrier(int site);
  unsigned long long warp(int op, unsigned mask, unsigned long long value, int source);
  void fence() { threads_[running_].fenced = true; }
  void atomic();
  void access(const void* address, unsigned bytes, bool write);
  void misaligned(const void* address, unsigned bytes);

 private:
  enum class State : std::uint8_t { ready, at_barrier, at_warp, done };
  struct Thread {
    tutti_emulation::Place place = {};
    void* context = nullptr;  // of the suspended fiber
    State state = State::ready;
    int site = 0;
    int op = 0;
    unsigned mask = 0;
    int source = 0;
    unsigned long long value = 0;  // given, then got
    std::uint32_t warp_barriers = 0;
    bool fenced = false;
  };

  static void fiber(void* launch);
  void run_block(std::uint32_t number);
  void resume(std::size_t thread);
  void suspend(State state);
  void fail_on_fiber(std::string message);  // does not return
  void order(std::vector<std::uint32_t>& numbers);

  // What lets threads go on; false: nothing did.
  bool release_warps();
  bool release_warp(std::size_t first);
  bool release_barrier();
  void complete(std::size_t first, unsigned mask);
  [[noreturn]] void fail_stuck() const;

  RaceTracker::Access access_of(std::size_t thread) const;
  std::string where(std::size_t thread) const;

  tutti_emulation::Entry entry_;
  Extents grid_;
  Extents block_;
  void** arguments_;
  RunOptions options_;
  tutti_emulation::Host host_;
  std::mt19937 random_;
  RaceTracker tracker_;
  std::vector<Thread> threads_;
  void* scheduler_ = nullptr;  // the context that resumed the running fiber
  std::size_t running_ = 0;
  std::uint32_t block_number_ = 0;
  std::uint32_t barriers_ = 0;
  std::string failure_;
  std::byte* shared_ = nullptr;
  std::size_t shared_bytes_ = 0;
  std::unique_ptr<Stacks> stacks_;  // while it runs
};

}  // namespace tutti::test::cuda
