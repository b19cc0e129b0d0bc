#include <tutti/runtime/block_cache.h>

#include <limits>
#include <mutex>
#include <utility>

// Blocks in the cache are poisoned, so that a use after the last holder went is found all the same.
#if defined(__SANITIZE_ADDRESS__)
#define TUTTI_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TUTTI_ADDRESS_SANITIZER 1
#endif
#endif
#ifdef TUTTI_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, bytes) ((void)(address), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(address, bytes) ((void)(address), (void)(bytes))
#endif

namespace tutti::runtime {

namespace {

constexpr std::size_t kLargest = std::numeric_limits<std::size_t>::max() / 4;

}  // namespace

BlockCache::BlockCache(std::unique_ptr<BlockSource> source, std::size_t limit)
    : source_(std::move(source)), of_host_(source_->is_of_host()), limit_(limit) {}

void BlockCache::poison(std::byte* data, std::size_t bytes) const noexcept {
  if (of_host_) ASAN_POISON_MEMORY_REGION(data, bytes);
}

void BlockCache::unpoison(std::byte* data, std::size_t bytes) const noexcept {
  if (of_host_) ASAN_UNPOISON_MEMORY_REGION(data, bytes);
}

std::shared_ptr<Buffer> BlockCache::allocate(std::size_t bytes) {
  if (bytes > kLargest) return nullptr;
  const SizeClass wanted(bytes);
  Buffer* buffer = take_free(wanted);
  if (buffer == nullptr) buffer = take_new(wanted);
  if (buffer == nullptr) {
    trim(0);
    buffer = take_new(wanted);
  }
  if (buffer == nullptr) return nullptr;
  buffer->bytes_ = bytes;
  unpoison(buffer->data_, bytes);
  poison(buffer->data_ + bytes, wanted.size - bytes);
  return buffer->share();
}

Buffer* BlockCache::take_free(const SizeClass& wanted) {
  const std::scoped_lock lock(lock_);
  FreeList& list = free_[wanted.index];
  Buffer* const buffer = list.newest;
  if (buffer == nullptr) return nullptr;
  list.newest = buffer->next;
  (buffer->next != nullptr ? buffer->next->newer_ : list.oldest) = nullptr;
  cached_ -= wanted.size;
  used_ += wanted.size;
  ++held_;
  return buffer;
}

Buffer* BlockCache::take_new(const SizeClass& wanted) {
  auto buffer = std::unique_ptr<Buffer>(new Buffer(this));
  buffer->data_ = static_cast<std::byte*>(source_->take(wanted.size));
  if (buffer->data_ == nullptr) return nullptr;
  buffer->block_bytes_ = wanted.size;
  const std::scoped_lock lock(lock_);
  used_ += wanted.size;
  ++held_;
  return buffer.release();
}

void BlockCache::take_back(Buffer& buffer) noexcept {
  const SizeClass size(buffer.block_bytes_);
  poison(buffer.data_, size.size);
  std::unique_lock lock(lock_);
  FreeList& list = free_[size.index];
  buffer.newer_ = nullptr;
  buffer.next = list.newest;
  buffer.freed_at_ = ++clock_;
  (buffer.next != nullptr ? buffer.next->newer_ : list.oldest) = &buffer;
  list.newest = &buffer;
  used_ -= size.size;
  cached_ += size.size;
  if (cached_ > limit_) {
    lock.unlock();
    trim(limit_);
    lock.lock();
  }
  if (--held_ > 0 || !closed_) return;
  lock.unlock();
  delete this;
}

Buffer* BlockCache::take_oldest() {
  FreeList* from = nullptr;
  for (FreeList& list : free_) {
    if (list.oldest == nullptr) continue;
    if (from == nullptr || list.oldest->freed_at_ < from->oldest->freed_at_) from = &list;
  }
  Buffer* const buffer = from->oldest;
  from->oldest = buffer->newer_;
  (buffer->newer_ != nullptr ? buffer->newer_->next : from->newest) = nullptr;
  cached_ -= buffer->block_bytes_;
  return buffer;
}

void BlockCache::trim(std::size_t keep) noexcept {
  Buffer* victims = nullptr;  // given back after the lock is gone: that takes long
  {
    const std::scoped_lock lock(lock_);
    while (cached_ > keep) {
      Buffer* const oldest = take_oldest();
      oldest->next = std::exchange(victims, oldest);
    }
  }
  if (victims != nullptr) source_->wait_for_users();
  while (victims != nullptr) give_up(std::exchange(victims, victims->next));
}

void BlockCache::give_up(Buffer* buffer) noexcept {
  unpoison(buffer->data_, buffer->block_bytes_);
  source_->give_back(buffer->data_, buffer->block_bytes_);
  delete buffer;
}

void BlockCache::close() {
  std::unique_lock lock(lock_);
  closed_ = true;
  if (held_ > 0) return;
  lock.unlock();
  delete this;
}

std::size_t BlockCache::used() const {
  const std::scoped_lock lock(lock_);
  return used_;
}

std::size_t BlockCache::cached() const {
  const std::scoped_lock lock(lock_);
  return cached_;
}

}  // namespace tutti::runtime
