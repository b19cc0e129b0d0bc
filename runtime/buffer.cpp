#include <tutti/ir/support/error.h>
#include <tutti/runtime/buffer.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <sys/mman.h>

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

// From this size on blocks are mappings of their own, and from twice a huge page on worth huge
// pages.
constexpr std::size_t kMappedBytes = std::size_t{1} << 20;
constexpr std::size_t kHugePagesFrom = std::size_t{4} << 20;
constexpr std::size_t kLargest = std::numeric_limits<std::size_t>::max() / 4;

// Eight size classes an octave, never finer than the alignment: at most 1/8 is lost.
struct SizeClass {
  static constexpr std::size_t kCount = 64 * 8;

  explicit SizeClass(std::size_t bytes) {
    const std::size_t wanted = bytes == 0 ? 1 : bytes;
    const int shift = std::max(std::countr_zero(kBufferAlignment),
                               static_cast<int>(std::bit_width(wanted - 1)) - 4);
    const std::size_t steps = ((wanted - 1) >> shift) + 1;  // 1 to 16; 9 to 16 above 1 KiB
    size = steps << shift;
    index = static_cast<std::size_t>(shift - std::countr_zero(kBufferAlignment)) * 8 + steps;
  }

  std::size_t size;
  std::size_t index;
};

void* map_block(std::size_t size) {
  if (size < kMappedBytes) return std::aligned_alloc(kBufferAlignment, size);
  void* block = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED) return nullptr;
  if (size >= kHugePagesFrom) madvise(block, size, MADV_HUGEPAGE);  // a wish; may be refused
  return block;
}

void unmap_block(void* block, std::size_t size) {
  ASAN_UNPOISON_MEMORY_REGION(block, size);
  if (size < kMappedBytes) {
    std::free(block);
  } else {
    munmap(block, size);
  }
}

std::string megabytes(std::size_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

}  // namespace

// The free blocks by size class. Each class is a stack, its oldest block at the bottom.
class Buffer::BlockCache {
 public:
  explicit BlockCache(std::size_t limit) : limit_(limit) {}
  BlockCache(const BlockCache&) = delete;
  BlockCache& operator=(const BlockCache&) = delete;
  ~BlockCache() { trim(0); }

  void* take(std::size_t bytes) {
    if (bytes > kLargest) fail(bytes);
    const SizeClass wanted(bytes);
    void* block = take_free(wanted);
    if (block == nullptr) block = map_block(wanted.size);
    if (block == nullptr) {
      trim(0);
      block = map_block(wanted.size);
    }
    if (block == nullptr) {
      {
        const std::scoped_lock lock(mutex_);
        used_ -= wanted.size;
      }
      fail(bytes);
    }
    ASAN_UNPOISON_MEMORY_REGION(block, bytes);
    ASAN_POISON_MEMORY_REGION(static_cast<std::byte*>(block) + bytes, wanted.size - bytes);
    return block;
  }

  void give_back(void* block, std::size_t bytes) {
    const SizeClass returned(bytes);
    ASAN_POISON_MEMORY_REGION(block, returned.size);
    {
      const std::scoped_lock lock(mutex_);
      used_ -= returned.size;
      cached_ += returned.size;
      free_[returned.index].push_back({block, returned.size, ++clock_});
      if (cached_ <= limit_) return;
    }
    trim(limit_);
  }

  void trim(std::size_t keep) {
    std::vector<FreeBlock> victims;  // unmapped after the lock is gone: that takes long
    {
      const std::scoped_lock lock(mutex_);
      while (cached_ > keep) {
        std::vector<FreeBlock>* oldest = nullptr;
        for (std::vector<FreeBlock>& blocks : free_) {
          if (blocks.empty()) continue;
          if (!oldest || blocks.front().freed_at < oldest->front().freed_at) oldest = &blocks;
        }
        cached_ -= oldest->front().size;
        victims.push_back(oldest->front());
        oldest->erase(oldest->begin());
      }
    }
    for (const FreeBlock& victim : victims) unmap_block(victim.block, victim.size);
  }

  std::size_t used() const {
    const std::scoped_lock lock(mutex_);
    return used_;
  }
  std::size_t cached() const {
    const std::scoped_lock lock(mutex_);
    return cached_;
  }

 private:
  struct FreeBlock {
    void* block;
    std::size_t size;
    std::uint64_t freed_at;
  };

  // A free block, or null; counts it as used in either case.
  void* take_free(const SizeClass& wanted) {
    const std::scoped_lock lock(mutex_);
    used_ += wanted.size;
    std::vector<FreeBlock>& blocks = free_[wanted.index];
    if (blocks.empty()) return nullptr;
    void* block = blocks.back().block;
    blocks.pop_back();
    cached_ -= wanted.size;
    return block;
  }

  [[noreturn]] void fail(std::size_t bytes) const {
    throw EnvironmentError("out of memory: no " + std::to_string(bytes) + " bytes (" +
                           megabytes(bytes) + ") to be had for a buffer; " + megabytes(used()) +
                           " are in use by buffers of this allocator");
  }

  const std::size_t limit_;
  mutable std::mutex mutex_;
  std::array<std::vector<FreeBlock>, SizeClass::kCount> free_;
  std::size_t used_ = 0;
  std::size_t cached_ = 0;
  std::uint64_t clock_ = 0;
};

Buffer::Buffer(Token, void* data, std::size_t bytes, Release release)
    : data_(static_cast<std::byte*>(data)), bytes_(bytes), release_(std::move(release)) {}

Buffer::Buffer(Token, void* data, std::size_t bytes, std::shared_ptr<BlockCache> cache)
    : data_(static_cast<std::byte*>(data)), bytes_(bytes), cache_(std::move(cache)) {}

Buffer::~Buffer() {
  if (cache_) {
    cache_->give_back(data_, bytes_);
  } else if (release_) {
    release_(data_);
  }
}

std::shared_ptr<Buffer> Buffer::wrap(void* data, std::size_t bytes, Release release) {
  return std::make_shared<Buffer>(Token{}, data, bytes, std::move(release));
}

Allocator::Allocator(std::size_t cache_bytes)
    : cache_(std::make_shared<Buffer::BlockCache>(cache_bytes)) {}

Allocator::~Allocator() = default;

std::shared_ptr<Buffer> Allocator::allocate(std::size_t bytes) {
  void* block = cache_->take(bytes);
  try {
    return std::make_shared<Buffer>(Buffer::Token{}, block, bytes, cache_);
  } catch (...) {
    cache_->give_back(block, bytes);
    throw;
  }
}

void Allocator::trim(std::size_t keep_bytes) { cache_->trim(keep_bytes); }
std::size_t Allocator::used_bytes() const { return cache_->used(); }
std::size_t Allocator::cached_bytes() const { return cache_->cached(); }

}  // namespace tutti::runtime
