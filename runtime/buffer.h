#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace tutti::runtime {

// Every buffer of our own allocator starts on such a boundary (bytes): a cache line, an AVX-512
// register.
inline constexpr std::size_t kBufferAlignment = 64;

// A piece of memory with one owner: whoever holds the last shared_ptr. Uninitialised when new.
class Buffer {
 public:
  using Release = std::function<void(void*)>;

  // Takes over memory of any origin and alignment; `release(data)` is called once, when the last
  // holder goes. An empty `release` leaves the memory to the caller.
  static std::shared_ptr<Buffer> wrap(void* data, std::size_t bytes, Release release = {});

  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer();

  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }
  // As asked for, not as rounded up.
  std::size_t bytes() const { return bytes_; }

 private:
  friend class Allocator;
  class BlockCache;
  struct Token {};  // makes the constructors ours although make_shared must see them

 public:
  Buffer(Token, void* data, std::size_t bytes, Release release);
  Buffer(Token, void* data, std::size_t bytes, std::shared_ptr<BlockCache> cache);

 private:
  std::byte* data_;
  std::size_t bytes_;
  Release release_;                    // of wrapped memory
  std::shared_ptr<BlockCache> cache_;  // of our own
};

// Host memory for tensors. Freed blocks are kept, mapped and by size class, and handed out again,
// so that a step that is replayed asks the system for nothing and sees no page faults. Thread-safe.
// Buffers may outlive their allocator.
class Allocator {
 public:
  static constexpr std::size_t kDefaultCacheBytes = std::size_t{4} << 30;

  // At most `cache_bytes` of free blocks are kept; the longest unused go first.
  explicit Allocator(std::size_t cache_bytes = kDefaultCacheBytes);
  Allocator(const Allocator&) = delete;
  Allocator& operator=(const Allocator&) = delete;
  ~Allocator();

  // Uninitialised, aligned to kBufferAlignment, with an address of its own even for zero bytes.
  // Throws EnvironmentError if the system has no more.
  std::shared_ptr<Buffer> allocate(std::size_t bytes);

  // Returns free blocks to the system until at most `keep_bytes` are kept.
  void trim(std::size_t keep_bytes = 0);

  // Bytes handed out, and bytes kept for later; both as rounded up to size classes.
  std::size_t used_bytes() const;
  std::size_t cached_bytes() const;

 private:
  std::shared_ptr<Buffer::BlockCache> cache_;
};

}  // namespace tutti::runtime
