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

BlockCache::BlockCache(std::unique_ptr<BlockSource> source, std::size_t limit,
                       std::shared_ptr<MemoryUse> use)
    : source_(std::move(source)),
      of_host_(source_->is_of_host()),
      limit_(limit),
      use_(use != nullptr ? std::move(use) : std::make_shared<MemoryUse>()) {
  source_->cached_by(this);
}

BlockCache::~BlockCache() {
  source_->cached_by(nullptr);
  trim(0);
}

void BlockCache::poison(std::byte* data, std::size_t bytes) const noexcept {
  if (of_host_) ASAN_POISON_MEMORY_REGION(data, bytes);
}

void BlockCache::unpoison(std::byte* data, std::size_t bytes) const noexcept {
  if (of_host_) ASAN_UNPOISON_MEMORY_REGION(data, bytes);
}

void Buffer::set_label(const MemoryLabel& label) {
  const std::scoped_lock lock(static_cast<BlockCache*>(home_)->use_->lock());
  block_.set_label(label);
}

std::shared_ptr<Buffer> BlockCache::allocate(std::size_t bytes, const MemoryLabel& label) {
  if (bytes > kLargest) return nullptr;
  const SizeClass wanted(bytes);
  Buffer* buffer = take_free(wanted, label);
  if (buffer == nullptr) buffer = take_new(wanted, label, false);
  if (buffer == nullptr) {
    trim(0);
    buffer = take_new(wanted, label, true);
  }
  if (buffer == nullptr) return nullptr;
  buffer->bytes_ = bytes;
  unpoison(buffer->data_, bytes);
  poison(buffer->data_ + bytes, wanted.size - bytes);
  return buffer->share();
}

// With the lock held.
void BlockCache::hand_out(Buffer& buffer, const MemoryLabel& label) noexcept {
  use_->begin_use(buffer.block_, label);
  used_ += buffer.block_.bytes();
  ++held_;
}

Buffer* BlockCache::take_free(const SizeClass& wanted, const MemoryLabel& label) {
  const std::scoped_lock lock(use_->lock());
  FreeList& list = free_[wanted.index];
  Buffer* const buffer = list.newest;
  if (buffer == nullptr) return nullptr;
  list.newest = buffer->next;
  (buffer->next != nullptr ? buffer->next->newer_ : list.oldest) = nullptr;
  cached_ -= wanted.size;
  hand_out(*buffer, label);
  return buffer;
}

Buffer* BlockCache::take_new(const SizeClass& wanted, const MemoryLabel& label, bool again) {
  auto buffer = std::unique_ptr<Buffer>(new Buffer(this));
  buffer->data_ = static_cast<std::byte*>(again ? source_->take_again(wanted.size)
                                                : source_->take(wanted.size));
  if (buffer->data_ == nullptr) return nullptr;
  const std::scoped_lock lock(use_->lock());
  use_->open(buffer->block_, wanted.size, wanted.index);
  hand_out(*buffer, label);
  return buffer.release();
}

void BlockCache::take_back(Buffer& buffer) noexcept {
  const std::size_t bytes = buffer.block_.bytes();
  poison(buffer.data_, bytes);
  std::unique_lock lock(use_->lock());
  use_->end_use(buffer.block_);
  FreeList& list = free_[buffer.block_.index()];
  buffer.newer_ = nullptr;
  buffer.next = list.newest;
  buffer.freed_at_ = ++clock_;
  (buffer.next != nullptr ? buffer.next->newer_ : list.oldest) = &buffer;
  list.newest = &buffer;
  used_ -= bytes;
  cached_ += bytes;
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
  cached_ -= buffer->block_.bytes();
  use_->close(buffer->block_);
  return buffer;
}

void BlockCache::trim(std::size_t keep) noexcept {
  Buffer* victims = nullptr;  // given back after the lock is gone: that takes long
  {
    const std::scoped_lock lock(use_->lock());
    while (cached_ > keep) {
      Buffer* const oldest = take_oldest();
      oldest->next = std::exchange(victims, oldest);
    }
  }
  while (victims != nullptr) give_up(std::exchange(victims, victims->next));
  source_->flush();  // and what it could not give back before
}

void BlockCache::each_free(FunctionRef<void(std::byte*)> visit) const {
  for (const FreeList& list : free_) {
    for (const Buffer* buffer = list.newest; buffer != nullptr; buffer = buffer->next) {
      visit(buffer->data_);
    }
  }
}

void BlockCache::give_up(Buffer* buffer) noexcept {
  unpoison(buffer->data_, buffer->block_.bytes());
  source_->give_back(buffer->data_, buffer->block_.bytes());
  delete buffer;
}

void BlockCache::close() {
  std::unique_lock lock(use_->lock());
  closed_ = true;
  if (held_ > 0) return;
  lock.unlock();
  delete this;
}

std::size_t BlockCache::used() const {
  const std::scoped_lock lock(use_->lock());
  return used_;
}

std::size_t BlockCache::cached() const {
  const std::scoped_lock lock(use_->lock());
  return cached_;
}

}  // namespace tutti::runtime
