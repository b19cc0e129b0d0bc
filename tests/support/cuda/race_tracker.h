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
// did before a fence and an atomic is ordered before what another block does after a later atomic.
class RaceTracker {
 public:
  struct Access {
    std::uint32_t block = 0;  // numbers are linear
    std::uint16_t thread = 0;
    bool made = false;
    std::uint32_t barriers = 0;       // that the block has passed
    std::uint32_t warp_barriers = 0;  // that the thread has passed
    std::uint32_t atomics = 0;        // of the whole grid before it
  };

  explicit RaceTracker(std::size_t blocks) : published_(blocks), acquired_(blocks) {}

  // The bytes that every block has for itself.
  void set_shared(std::uintptr_t begin, std::uintptr_t end) {
    shared_begin_ = begin;
    shared_end_ = end;
  }

  // An atomic operation of a thread that has called __threadfence before, or not.
  void atomic(const Access& by, bool fenced);
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
  struct Publication {
    std::uint32_t time = 0;  // of the block's last atomic after a fence; 0: none
    std::uint32_t barriers = 0;
    std::uint16_t thread = 0;
  };
  // A block's last atomic, fenced or not.
  struct Acquisition {
    std::uint32_t time = 0;
    std::uint32_t barriers = 0;
    std::uint16_t thread = 0;
  };

  Cell& cell(std::uintptr_t address);
  bool ordered(const Access& before, const Access& after, bool shared) const;

  std::vector<Publication> published_;  // by block
  std::vector<Acquisition> acquired_;
  std::unordered_map<std::uintptr_t, std::unique_ptr<Page>> pages_;
  std::uintptr_t last_number_ = 0;
  Page* last_page_ = nullptr;
  std::uintptr_t shared_begin_ = 0;
  std::uintptr_t shared_end_ = 0;
  std::uint32_t atomics_ = 0;
};

}  // namespace tutti::test::cuda
