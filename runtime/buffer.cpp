#include <tutti/ir/support/error.h>
#include <tutti/runtime/block_cache.h>
#include <tutti/runtime/buffer.h>
#include <tutti/runtime/host_room.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include <sys/mman.h>

namespace tutti::runtime {

namespace {

// From this size on blocks are mappings of their own, and from twice a huge page on worth huge
// pages.
constexpr std::size_t kMappedBytes = std::size_t{1} << 20;
constexpr std::size_t kHugePagesFrom = std::size_t{4} << 20;

// From this size on a copy that a collective makes of an operand is worth avoiding.
constexpr std::size_t kLargeBytes = std::size_t{64} << 10;

class HostBlocks final : public BlockSource {
 public:
  explicit HostBlocks(std::unique_ptr<BlockSource> large) : large_(std::move(large)) {}

  void* take(std::size_t size) override {
    if (large_ != nullptr && size >= kLargeBytes) {
      if (void* const block = large_->take(size)) return block;
    }
    if (size < kMappedBytes) return std::aligned_alloc(kBufferAlignment, size);
    void* block = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) return nullptr;
    if (size >= kHugePagesFrom) madvise(block, size, MADV_HUGEPAGE);  // a wish; may be refused
    return block;
  }
  void give_back(void* block, std::size_t size) noexcept override {
    if (large_ != nullptr && large_->owns(block)) {
      large_->give_back(block, size);
    } else if (size < kMappedBytes) {
      std::free(block);
    } else {
      munmap(block, size);
    }
  }
  std::optional<MemoryRoom> room() const override { return host_room(); }
  std::string describe() const override { return host_room_text(); }
  void cached_by(const BlockCache* cache) override {
    if (large_ != nullptr) large_->cached_by(cache);
  }

 private:
  const std::unique_ptr<BlockSource> large_;
};

}  // namespace

std::unique_ptr<BlockSource> host_blocks(std::unique_ptr<BlockSource> large) {
  return std::make_unique<HostBlocks>(std::move(large));
}

std::shared_ptr<Buffer> Buffer::wrap(void* data, std::size_t bytes, Release release) {
  auto* const buffer = new Buffer(nullptr);
  buffer->data_ = static_cast<std::byte*>(data);
  buffer->bytes_ = bytes;
  buffer->release_ = std::move(release);
  return buffer->share();
}

void Buffer::let_go() noexcept {
  if (!release_) return;
  release_(data_);
  release_ = {};
}

std::shared_ptr<Buffer> BufferPool::wrap(void* data, std::size_t bytes, Release release) {
  std::shared_ptr<Buffer> buffer = pool_->take();
  buffer->data_ = static_cast<std::byte*>(data);
  buffer->bytes_ = bytes;
  buffer->release_ = std::move(release);
  return buffer;
}

void Allocator::Close::operator()(BlockCache* cache) const { BlockCache::Close()(cache); }

Allocator::Allocator(std::size_t cache_bytes) : Allocator(host_blocks(), cache_bytes) {}

Allocator::Allocator(std::unique_ptr<BlockSource> source, std::size_t cache_bytes,
                     std::shared_ptr<MemoryUse> use)
    : cache_(new BlockCache(std::move(source), cache_bytes, std::move(use))) {}

Allocator::~Allocator() = default;

std::shared_ptr<Buffer> Allocator::allocate(std::size_t bytes, const MemoryLabel& label) {
  std::shared_ptr<Buffer> buffer = cache_->allocate(bytes, label);
  if (buffer != nullptr) return buffer;
  throw OutOfMemoryError(out_of_memory_text(bytes, label, *cache_->use(), cache_->describe()),
                         label.where);
}

void Allocator::trim(std::size_t keep_bytes) { cache_->trim(keep_bytes); }
std::size_t Allocator::used_bytes() const { return cache_->used(); }
std::size_t Allocator::cached_bytes() const { return cache_->cached(); }
const std::shared_ptr<MemoryUse>& Allocator::use() const { return cache_->use(); }
std::optional<MemoryRoom> Allocator::room() const { return cache_->room(); }

}  // namespace tutti::runtime
