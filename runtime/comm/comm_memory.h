#pragma once

#include <tutti/runtime/block_cache.h>
#include <tutti/runtime/buffer.h>
#include <tutti/runtime/memory_use.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tutti::runtime {

// Memory that all ranks of a host can reach. What lies in it is named by its place, the distance
// from a base that each process adds for itself. Thread-safe. Its buffers keep it alive.
class CommMemory : public std::enable_shared_from_this<CommMemory> {
 public:
  CommMemory() = default;
  CommMemory(const CommMemory&) = delete;
  CommMemory& operator=(const CommMemory&) = delete;
  virtual ~CommMemory() = default;

  // Uninitialised, aligned like an Allocator's. Throws OutOfMemoryError if there is no room.
  std::shared_ptr<Buffer> allocate(std::size_t bytes, const MemoryLabel& label = {});
  // The same; null if there is no room.
  std::shared_ptr<Buffer> try_to_allocate(std::size_t bytes, const MemoryLabel& label = {}) {
    return take_or_reclaim(bytes, label);
  }
  // For one rank's use alone: ordinary memory where there is no room.
  std::shared_ptr<Buffer> allocate_anywhere(std::size_t bytes, const MemoryLabel& label = {});
  // What counts them.
  const std::shared_ptr<MemoryUse>& use() const { return use_; }

  // A result that `holders` ranks will hold: the place of its bytes, 0 if there is no room. The
  // memory returns when each of them has dropped what hold() gave it.
  std::uint64_t lend(std::size_t bytes, std::uint32_t holders, const MemoryLabel& label = {});
  // Undoes lend() before anybody was told of it.
  void take_back(std::uint64_t place);
  // One of the holds of a result that some rank has lent.
  std::shared_ptr<Buffer> hold(std::uint64_t place, std::size_t bytes);

  // Backend::large_blocks().
  virtual std::unique_ptr<BlockSource> large_blocks() { return nullptr; }

  // What lies at a place that somebody else sees to.
  std::shared_ptr<Buffer> look_at(std::uint64_t place, std::size_t bytes);

  // Whether peers can read and write these bytes where they lie.
  virtual bool reachable(const void* data, std::size_t bytes) const = 0;
  std::uint64_t place_of(const void* data) const {
    return reinterpret_cast<std::uintptr_t>(data) - base_;
  }
  template <class T>
  T* pointer_to(std::uint64_t place) const {
    return place == 0 ? nullptr : reinterpret_cast<T*>(static_cast<std::uintptr_t>(place) + base_);
  }

  // Says that this rank has left: what it holds of its peers' it holds for good, since a slower one
  // may still read what it announced.
  virtual void close() { closed_.store(true); }
  // Whether this process keeps its pages when another one is forked off. Private ones are copied
  // for who writes first; where that is this process, a GPU goes on with the former ones.
  virtual bool keeps_pages() const { return false; }
  // Whether this process is no rank, but was forked off one: it holds nothing.
  virtual bool is_forked_off() const { return false; }

 protected:
  explicit CommMemory(std::uintptr_t base) : base_(base) {}

  // A new block, or null if there is no room.
  virtual std::shared_ptr<Buffer> take(std::size_t bytes, const MemoryLabel& label) = 0;
  virtual std::string full(std::size_t bytes) const = 0;  // what the error says of the room
  // What this rank holds of a peer's stays as it is in a process that is forked off.
  virtual void keep_in_forks(std::byte* /*data*/, std::size_t /*bytes*/) {}
  virtual void forget_in_forks(std::byte* /*data*/) noexcept {}
  // Keeps what lies at any place.
  virtual std::shared_ptr<const void> keep_alive() { return shared_from_this(); }

 private:
  std::shared_ptr<Buffer> take_or_reclaim(std::size_t bytes, const MemoryLabel& label);
  void reclaim();

  std::uintptr_t base_ = 0;
  std::atomic<bool> closed_{false};
  const std::shared_ptr<MemoryUse> use_ = std::make_shared<MemoryUse>();
  Allocator ordinary_{host_blocks(), Allocator::kDefaultCacheBytes, use_};
  BufferPool holds_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<Buffer>> lent_;  // each begins with a kernels::SharedBlock
};

}  // namespace tutti::runtime
