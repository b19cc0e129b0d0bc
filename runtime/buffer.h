#pragma once

#include <tutti/runtime/memory_use.h>
#include <tutti/runtime/recycled.h>
#include <tutti/runtime/release.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace tutti::runtime {

class BlockCache;
class BlockSource;

// A piece of memory with one owner: whoever holds the last shared_ptr. Uninitialised when new.
class Buffer final : public Recycled<Buffer> {
 public:
  // Takes over memory of any origin and alignment; `release(data)` is called once, when the last
  // holder goes. An empty `release` leaves the memory to the caller.
  static std::shared_ptr<Buffer> wrap(void* data, std::size_t bytes, Release release = {});

  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }
  // As asked for, not as rounded up.
  std::size_t bytes() const { return bytes_; }
  // Whether its memory was allocated for it, so that its holders are all who can reach it (a
  // collective holds what peers read or write). Wrapped memory may have other users.
  bool is_private() const { return block_.bytes() > 0; }
  // Whether it is somebody's who does not hear when the last holder goes: of his memory nobody may
  // read more than he waits for himself.
  bool is_borrowed() const { return !is_private() && !release_; }
  // What it was allocated for.
  const MemoryLabel& label() const { return block_.label(); }
  // Says so anew. By one thread at a time; of private memory.
  void set_label(const MemoryLabel& label);

 private:
  friend class Recycled<Buffer>;
  friend class RecycledPool<Buffer>;
  friend class BufferPool;
  friend class BlockCache;
  friend struct std::default_delete<Buffer>;

  explicit Buffer(Home* home) : Recycled(home) {}
  ~Buffer() = default;
  void let_go() noexcept;

  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  Release release_;  // of wrapped memory
  // Of a BlockCache's: it is the same block each time.
  MemoryUse::Entry block_;
  Buffer* newer_ = nullptr;  // in the list of free blocks of its size; `next` is the older one
  std::uint64_t freed_at_ = 0;
};

// Buffer::wrap without a call of malloc, once as many buffers have come back as are needed.
// Thread-safe. The buffers may outlive it.
class BufferPool {
 public:
  std::shared_ptr<Buffer> wrap(void* data, std::size_t bytes, Release release);

 private:
  RecycledPool<Buffer>::Handle pool_ = RecycledPool<Buffer>::make();
};

// Ordinary memory of the host; from a large size on, `large` is asked first, where there is one.
std::unique_ptr<BlockSource> host_blocks(std::unique_ptr<BlockSource> large = nullptr);

// Memory for tensors. Freed blocks are kept, mapped and by size class, and handed out again,
// so that a step that is replayed asks neither malloc nor the system for anything and sees no page
// faults. Thread-safe. Buffers may outlive their allocator.
class Allocator {
 public:
  static constexpr std::size_t kDefaultCacheBytes = std::size_t{4} << 30;

  // At most `cache_bytes` of free blocks are kept; the longest unused go first.
  explicit Allocator(std::size_t cache_bytes = kDefaultCacheBytes);
  // Of memory from elsewhere; counted in `use`, or else for itself.
  explicit Allocator(std::unique_ptr<BlockSource> source,
                     std::size_t cache_bytes = kDefaultCacheBytes,
                     std::shared_ptr<MemoryUse> use = nullptr);
  Allocator(const Allocator&) = delete;
  Allocator& operator=(const Allocator&) = delete;
  ~Allocator();

  // Uninitialised, aligned to kBufferAlignment, with an address of its own even for zero bytes.
  // Throws OutOfMemoryError, with the label and what else is in use, if there is no more.
  std::shared_ptr<Buffer> allocate(std::size_t bytes, const MemoryLabel& label = {});

  // Returns free blocks to the system until at most `keep_bytes` are kept.
  void trim(std::size_t keep_bytes = 0);

  // Bytes handed out, and bytes kept for later; both as rounded up to size classes.
  std::size_t used_bytes() const;
  std::size_t cached_bytes() const;
  // What counts them, with those of other allocators maybe.
  const std::shared_ptr<MemoryUse>& use() const;
  // What the device has for all; nothing where that is not known.
  std::optional<MemoryRoom> room() const;

 private:
  struct Close {
    void operator()(BlockCache* cache) const;
  };
  std::unique_ptr<BlockCache, Close> cache_;
};

}  // namespace tutti::runtime
