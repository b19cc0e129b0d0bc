#include <tutti/runtime/comm/shm/segment_blocks.h>

#include <cerrno>
#include <cstdint>
#include <iterator>
#include <utility>

#include <sys/mman.h>

namespace tutti::runtime {

namespace {

constexpr std::size_t kPage = 4096;

std::byte* page_below(std::byte* at) { return at - reinterpret_cast<std::uintptr_t>(at) % kPage; }
std::byte* page_above(std::byte* at) { return page_below(at + kPage - 1); }

// False if the system has no memory for these pages.
bool populate(std::byte* block, std::size_t bytes) {
#ifdef MADV_POPULATE_WRITE
  std::byte* const begin = page_below(block);
  std::byte* const end = page_above(block + bytes);
  while (madvise(begin, static_cast<std::size_t>(end - begin), MADV_POPULATE_WRITE) != 0) {
    if (errno == EINTR || errno == EAGAIN) continue;
    return errno == EINVAL;  // before Linux 5.14: pages come when they are touched
  }
#endif
  return true;
}

void give_back_pages(std::byte* block, std::size_t bytes) {
  std::byte* const begin = page_above(block);
  std::byte* const end = page_below(block + bytes);
  if (begin < end) madvise(begin, static_cast<std::size_t>(end - begin), MADV_REMOVE);
}

}  // namespace

SegmentBlocks::SegmentBlocks(std::byte* data, std::size_t bytes,
                             std::shared_ptr<const void> keep_alive)
    : begin_(data), bytes_(bytes), keep_alive_(std::move(keep_alive)) {
  ranges_.emplace(data, bytes);
  by_size_.emplace(bytes, data);
}

void* SegmentBlocks::take(std::size_t size) {
  const std::scoped_lock lock(mutex_);
  return populated(cut(size), size);
}

void* SegmentBlocks::take_from_end(std::size_t size) {
  const std::scoped_lock lock(mutex_);
  return populated(cut_from_end(size), size);
}

void* SegmentBlocks::populated(std::byte* block, std::size_t size) {
  if (block == nullptr || populate(block, size)) return block;
  take_back(block, size);
  return nullptr;
}

bool SegmentBlocks::owns(const void* block) const {
  return reinterpret_cast<std::uintptr_t>(block) - reinterpret_cast<std::uintptr_t>(begin_) <
         bytes_;
}

void SegmentBlocks::give_back(void* block, std::size_t size) noexcept {
  const std::scoped_lock lock(mutex_);
  take_back(static_cast<std::byte*>(block), size);
}

void SegmentBlocks::take_back(std::byte* block, std::size_t size) {
  if (!keep_pages_) give_back_pages(block, size);
  join(block, size);
}

std::size_t SegmentBlocks::free_bytes() {
  const std::scoped_lock lock(mutex_);
  std::size_t out = 0;
  for (const auto& [size, block] : by_size_) out += size;
  return out;
}

void SegmentBlocks::keep_pages() {
  const std::scoped_lock lock(mutex_);
  keep_pages_ = true;
}

std::byte* SegmentBlocks::cut(std::size_t size) {
  const auto found = by_size_.lower_bound(size);
  if (found == by_size_.end()) return nullptr;
  const auto [range, begin] = *found;
  by_size_.erase(found);
  ranges_.erase(begin);
  if (range > size) {
    ranges_.emplace(begin + size, range - size);
    by_size_.emplace(range - size, begin + size);
  }
  return begin;
}

std::byte* SegmentBlocks::cut_from_end(std::size_t size) {
  for (auto range = ranges_.end(); range != ranges_.begin();) {
    --range;
    const auto [begin, bytes] = *range;
    if (bytes < size) continue;
    std::byte* const block = begin + bytes - size;
    if (block < begin_ + bytes_ / 2) return nullptr;
    erase_size(range);
    if (bytes == size) {
      ranges_.erase(range);
    } else {
      range->second = bytes - size;
      by_size_.emplace(bytes - size, begin);
    }
    return block;
  }
  return nullptr;
}

void SegmentBlocks::erase_size(std::map<std::byte*, std::size_t>::iterator range) {
  auto [first, last] = by_size_.equal_range(range->second);
  while (first != last && first->second != range->first) ++first;
  by_size_.erase(first);
}

void SegmentBlocks::join(std::byte* block, std::size_t size) {
  const auto take = [&](std::map<std::byte*, std::size_t>::iterator range) {
    erase_size(range);
    ranges_.erase(range);
  };
  if (const auto next = ranges_.find(block + size); next != ranges_.end()) {
    size += next->second;
    take(next);
  }
  const auto after = ranges_.lower_bound(block);
  if (after != ranges_.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second == block) {
      block = before->first;
      size += before->second;
      take(before);
    }
  }
  ranges_.emplace(block, size);
  by_size_.emplace(size, block);
}

}  // namespace tutti::runtime
