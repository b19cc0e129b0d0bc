#pragma once

#include <tutti/runtime/block_cache.h>

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>

namespace tutti::runtime {

// Blocks of one reserved range of memory, a rank's part of the segment. What comes back is joined
// to larger ranges again. Pages are populated when a block is handed out, so that a lack of memory
// is an answer here, not a signal later. Thread-safe.
class SegmentBlocks final : public BlockSource {
 public:
  // `keep_alive` holds the range.
  SegmentBlocks(std::byte* data, std::size_t bytes,
                std::shared_ptr<const void> keep_alive = nullptr);

  void* take(std::size_t size) override;
  // From the far end, and from the second half alone: so the first one is never cut up by them.
  void* take_from_end(std::size_t size);
  bool owns(const void* block) const override;
  void give_back(void* block, std::size_t size) noexcept override;

  std::size_t free_bytes();

  // From now on no pages are given back to the system: peers may still read them.
  void keep_pages();

 private:
  std::byte* cut(std::size_t size);  // from a free range, the smallest that fits
  std::byte* cut_from_end(std::size_t size);
  void* populated(std::byte* block, std::size_t size);  // null if there is no memory
  void take_back(std::byte* block, std::size_t size);
  void erase_size(std::map<std::byte*, std::size_t>::iterator range);
  void join(std::byte* block, std::size_t size);

  const std::byte* const begin_;
  const std::size_t bytes_;
  const std::shared_ptr<const void> keep_alive_;
  std::mutex mutex_;
  std::map<std::byte*, std::size_t> ranges_;  // free; neighbours are joined
  std::multimap<std::size_t, std::byte*> by_size_;
  bool keep_pages_ = false;
};

}  // namespace tutti::runtime
