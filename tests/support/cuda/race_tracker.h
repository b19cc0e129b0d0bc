#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace tutti::test::cuda {

// Remembers who accessed each byte last and finds pairs of accesses that nothing orders. Threads of
// a block are ordered by its barriers, those of a warp also by __syncwarp. What threads of a block
// did before a fence, and that before an atomic, is ordered before what another block does after a
// later atomic and a fence. The fence is one of the thread's own, or of the atomic's with a barrier
// between.
class RaceTracker {
 public:
  struct Access {
    std::uint32_t block = 0;  // numbers are linear
    std::uint16_t thread = 0;
    bool made = false;
    std::uint32_t barriers = 0;       // that the block has passed
    std::uint32_t warp_barriers = 0;  // that the thread has passed
    std::uint32_t atomics = 0;        // of the whole grid before it
    std::uint32_t fences = 0;         // of the thread before it
  };

  // The bytes that every block has for itself.
  void set_shared(std::uintptr_t begin, std::uintptr_t end) {
    shared_begin_ = begin;
    shared_end_ = end;
  }

  // An atomic operation, and a __threadfence.
  void atomic(const Access& by);
  void fence(const Access& by);
  std::uint32_t atomics() const { return atomics_; }

  // Empty, or what is wrong.
  std::string access(std::uintptr_t address, std::uint32_t bytes, bool write, const Access& by);

 private:
  struct Cell {
    Access writer;
    std::array<Access, 2> readers;
  };
  static constexpr std::uintptr_t kPage = 1024;
  using Page = std::array<Cell, kPage>;
  // An atomic by its number in the grid; 0: none.
  struct Atomic {
    std::uint32_t time = 0;
    std::uint32_t barriers = 0;
    std::uint16_t thread = 0;
  };
  struct Thread {
    std::uint32_t fences = 0;
    std::uint32_t fence_barriers = 0;  // before its last fence
    std::uint32_t fences_before = 0;   // the last of these barriers
    std::uint32_t atomic = 0;          // its last one
    std::uint32_t acquired = 0;        // the last atomic that came before a fence of its own
  };
  // What a block has done that others may know of.
  struct Block {
    std::vector<Thread> threads;
    Atomic last;
    // The last atomic with fences before it that none had before: how many each thread had made,
    // and behind how many barriers its own thread the last one.
    Atomic published;
    std::vector<std::uint32_t> published_fences;
    std::uint32_t published_fence_barriers = 0;
    // The last atomic that came before a fence of some thread, and the barriers before that.
    std::uint32_t acquired = 0;
    std::uint32_t acquired_barriers = 0;

    Thread& thread(std::uint16_t number);
    bool has_published(const Access& access) const;
    bool has_acquired(std::uint32_t time, const Access& access) const;
  };

  Cell& cell(std::uintptr_t address);
  bool ordered(const Access& before, const Access& after, bool shared) const;

  std::unordered_map<std::uint32_t, Block> blocks_;  // with atomics or fences
  std::unordered_map<std::uintptr_t, std::unique_ptr<Page>> pages_;
  std::uintptr_t last_number_ = 0;
  Page* last_page_ = nullptr;
  std::uintptr_t shared_begin_ = 0;
  std::uintptr_t shared_end_ = 0;
  std::uint32_t atomics_ = 0;
};

}  // namespace tutti::test::cuda
