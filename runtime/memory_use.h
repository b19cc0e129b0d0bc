#pragma once

#include <tutti/ir/support/location.h>
#include <tutti/runtime/size_class.h>
#include <tutti/runtime/spin_lock.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tutti::runtime {

// What memory was allocated for.
struct MemoryLabel {
  const char* what =
      nullptr;          // "matmul"; stays for the whole process (interned.h); null: not known
  Location where = {};  // the user's line

  // "matmul (train.cpp:41)"
  std::string text() const;
};

// A block as a report has it.
struct MemoryBlock {
  std::size_t bytes = 0;
  MemoryLabel label = {};
};
// "64 MiB for matmul (train.cpp:41), 2 KiB for data (train.cpp:7)"
std::string text_of(const std::vector<MemoryBlock>& blocks);

// How much memory a device has for all programs that use it, in bytes.
struct MemoryRoom {
  std::size_t free = 0;
  std::size_t total = 0;
};

// What a MemoryUse knows at one moment. Bytes are those of whole blocks, rounded up.
struct MemoryReport {
  std::size_t in_use = 0;
  std::size_t cached = 0;                 // free, and kept for later
  std::uint64_t allocations = 0;          // so far
  std::uint64_t new_blocks = 0;           // those of them that the cache had nothing for
  std::vector<MemoryBlock> largest = {};  // in use now, at most MemoryUse::kMostBlocks
  // When most was in use: how much, what was just being allocated, and the largest blocks.
  std::size_t peak = 0;
  MemoryLabel peak_label = {};
  std::vector<MemoryBlock> largest_at_peak = {};
};

// The memory that one rank has in use on one device, block by block. Its lock is that of all
// BlockCaches that count there, so that counting costs a few instructions. Thread-safe where
// nothing else is said.
class MemoryUse {
 public:
  static constexpr std::size_t kMostBlocks = 8;

  // A block, in use or not. It is known from open() to close(), and stays where it is meanwhile.
  class Entry {
   public:
    Entry() = default;
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

    // As rounded up; 0: it is not known.
    std::size_t bytes() const { return bytes_; }
    // Of its SizeClass.
    std::size_t index() const { return index_; }
    const MemoryLabel& label() const { return label_; }
    // With the lock held.
    void set_label(const MemoryLabel& label) { label_ = label; }

   private:
    friend class MemoryUse;
    std::size_t bytes_ = 0;
    std::uint32_t index_ = 0;
    bool in_use_ = false;
    MemoryLabel label_;
    Entry* newer_ = nullptr;  // of the same size
    Entry* older_ = nullptr;
  };

  // Memory of no BlockCache, counted as long as this lives.
  class Counted {
   public:
    Counted(std::shared_ptr<MemoryUse> use, std::size_t bytes, const MemoryLabel& label);
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;
    ~Counted();

   private:
    const std::shared_ptr<MemoryUse> use_;
    Entry entry_;
  };

  MemoryUse() = default;
  MemoryUse(const MemoryUse&) = delete;
  MemoryUse& operator=(const MemoryUse&) = delete;

  MemoryReport report() const;
  // The peak is what is in use now, until there is more.
  void reset_peak();

  // ---- For BlockCaches.
  SpinLock& lock() const { return lock_; }
  // The rest with the lock held. A new block of so many bytes, not in use; `index` is that of their
  // SizeClass.
  void open(Entry& entry, std::size_t bytes, std::size_t index) noexcept;
  void close(Entry& entry) noexcept;
  void begin_use(Entry& entry, const MemoryLabel& label) noexcept {
    entry.label_ = label;
    entry.in_use_ = true;
    ++allocations_;
    in_use_ += entry.bytes_;
    if (in_use_ > peak_) [[unlikely]] {
      peak_ = in_use_;
      peak_label_ = label;
      has_largest_ = false;
    }
  }
  void end_use(Entry& entry) noexcept {
    if (!has_largest_) [[unlikely]]
      note_largest();
    entry.in_use_ = false;
    in_use_ -= entry.bytes_;
  }

 private:
  // Without an allocation: it is made wherever memory is let go of.
  struct Largest {
    std::array<MemoryBlock, kMostBlocks> blocks;
    std::size_t count = 0;
  };

  Largest largest() const;
  void note_largest() noexcept;

  mutable SpinLock lock_;  // of what follows
  std::array<Entry*, SizeClass::kCount> newest_{};
  std::size_t known_ = 0;  // bytes, in use or not
  std::size_t in_use_ = 0;
  std::uint64_t allocations_ = 0;
  std::uint64_t new_blocks_ = 0;
  std::size_t peak_ = 0;
  MemoryLabel peak_label_;
  Largest at_peak_;
  bool has_largest_ = true;  // at_peak_ is that of the peak; else what is in use now is
};

// What an OutOfMemoryError says: how much was asked for, by whom, what is in use, who has most of
// it, and what helps. `where_and_room` says which memory it is.
std::string out_of_memory_text(std::size_t bytes, const MemoryLabel& label, const MemoryUse& use,
                               const std::string& where_and_room);

}  // namespace tutti::runtime
