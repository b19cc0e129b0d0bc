#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/support/cuda/emulation_abi.h"
#include "tests/support/cuda/emulator.h"
#include "tests/support/cuda/peer_races.h"
#include "tests/support/cuda/race_tracker.h"
#include "tests/support/cuda/stacks.h"

namespace tutti::test::cuda {

// Runs the blocks of one launch, one after another. The threads of a block are fibers: each runs
// until it waits or ends, in an order that the options choose; when none can go on, what they wait
// for is given to them, or it is an error.
class EmulatedLaunch {
 public:
  EmulatedLaunch(tutti_emulation::Entry entry, const Extents& grid, const Extents& block,
                 void** arguments, const RunOptions& options, PeerRaces::Launch* peers = nullptr);
  EmulatedLaunch(const EmulatedLaunch&) = delete;
  EmulatedLaunch& operator=(const EmulatedLaunch&) = delete;
  ~EmulatedLaunch();

  void run();

  // For blocks that run by turns, on one thread: each has a launch of its own that shares the
  // others' tracker, and runs one block.
  enum class Turn : std::uint8_t { done, ran, waits };
  void run_by_turns(std::uint32_t number, std::shared_ptr<RaceTracker> tracker);
  // `why_not` is an error for a block that waits; null: it may.
  Turn take_turn(const char* why_not);

  // What the running thread asks for; on its fiber.
  const tutti_emulation::Place* place() const { return &threads_[running_].place; }
  void block_barrier(int site);
  unsigned long long warp(int op, unsigned mask, unsigned long long value, int source);
  void fence() {
    if (options_.find_races) tracker_->fence(access_of(running_));
    ++threads_[running_].fences;
  }
  void atomic() {
    if (options_.find_races) tracker_->atomic(access_of(running_));
    if (peers_ != nullptr) peers_->atomic(block_number_, running_thread());
  }
  unsigned long long load_acquire(const void* word, unsigned bytes);
  void store_release(void* word, unsigned bytes, unsigned long long value);
  void access(const void* address, unsigned bytes, bool write);
  void misaligned(const void* address, unsigned bytes);
  void pause_in_wait();
  void no_multicast();

 private:
  static constexpr std::size_t kWarp = 32;

  enum class State : std::uint8_t { ready, at_barrier, at_warp, waits, done };
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
    std::uint32_t fences = 0;
  };

  static void fiber(void* launch);
  void run_block(std::uint32_t number);
  void begin_block(std::uint32_t number);
  // Lets each thread run once; what became of the block.
  Turn sweep();
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

  std::uint32_t running_thread() const { return static_cast<std::uint32_t>(running_); }
  RaceTracker::Access access_of(std::size_t thread) const;
  std::string where(std::size_t thread) const;

  tutti_emulation::Entry entry_;
  Extents grid_;
  Extents block_;
  void** arguments_;
  RunOptions options_;
  tutti_emulation::Host host_;
  std::mt19937 random_;
  std::shared_ptr<RaceTracker> tracker_;
  PeerRaces::Launch* peers_;  // null: nobody looks
  std::vector<Thread> threads_;
  std::vector<std::uint32_t> turns_;
  void* scheduler_ = nullptr;  // the context that resumed the running fiber
  std::size_t running_ = 0;
  std::uint32_t block_number_ = 0;
  std::uint32_t barriers_ = 0;
  std::string failure_;
  const char* why_no_wait_ = nullptr;
  std::byte* shared_ = nullptr;
  std::size_t shared_bytes_ = 0;
  std::vector<std::byte> kept_shared_;  // of a block that runs by turns, in between
  std::unique_ptr<Stacks> stacks_;      // while it runs
};

}  // namespace tutti::test::cuda
