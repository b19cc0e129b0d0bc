#pragma once

#include <tutti/runtime/buffer.h>
#include <tutti/runtime/function_ref.h>
#include <tutti/runtime/memory_use.h>
#include <tutti/runtime/size_class.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace tutti::runtime {

class BlockCache;

// Where blocks come from. Thread-safe.
class BlockSource {
 public:
  BlockSource() = default;
  BlockSource(const BlockSource&) = delete;
  BlockSource& operator=(const BlockSource&) = delete;
  virtual ~BlockSource() = default;

  // `size` is a SizeClass's. Aligned to kBufferAlignment; null if there is none.
  virtual void* take(std::size_t size) = 0;
  // Called where there was none, when all free ones have been given back: without waiting again for
  // what take() has waited for.
  virtual void* take_again(std::size_t size) { return take(size); }
  virtual void give_back(void* block, std::size_t size) noexcept = 0;
  // Called when some were given back, for a source that gives them on together: work that was put
  // somewhere may still use them.
  virtual void flush() noexcept {}
  // Whether a block is of this source, where several are one behind another.
  virtual bool owns(const void* /*block*/) const { return true; }
  // Whether the host can read and write the blocks.
  virtual bool is_of_host() const { return true; }
  // For a message that there is no more: where that is, and what room there is; may be empty.
  virtual std::string describe() const { return {}; }
  // How much its device has for all; nothing where that is not known.
  virtual std::optional<MemoryRoom> room() const { return std::nullopt; }
  // Told by the cache that keeps its blocks, which has it to itself: from here on until it says
  // null, before it ends.
  virtual void cached_by(const BlockCache* /*cache*/) {}
};

// Keeps the blocks of buffers that are gone, by size class, and the Buffer objects with them: a
// block of a size that came back before costs nothing but a lock. Thread-safe. Lives until it is
// closed and its last buffer is gone.
class BlockCache final : private Recycled<Buffer>::Home {
 public:
  // At most `limit` bytes of free blocks are kept; the longest unused go first. Blocks in use are
  // counted in `use`; null: by the cache for itself.
  BlockCache(std::unique_ptr<BlockSource> source, std::size_t limit,
             std::shared_ptr<MemoryUse> use = nullptr);
  BlockCache(const BlockCache&) = delete;
  BlockCache& operator=(const BlockCache&) = delete;
  // Of std::unique_ptr: the owner's way to delete it.
  struct Close {
    void operator()(BlockCache* cache) const { cache->close(); }
  };

  // Null if the source has no more, even after it got all free blocks back.
  std::shared_ptr<Buffer> allocate(std::size_t bytes, const MemoryLabel& label = {});

  // Returns free blocks until at most `keep` bytes are kept.
  void trim(std::size_t keep) noexcept;

  std::size_t used() const;
  std::size_t cached() const;
  const std::shared_ptr<MemoryUse>& use() const { return use_; }
  // See BlockSource.
  std::string describe() const { return source_->describe(); }
  std::optional<MemoryRoom> room() const { return source_->room(); }
  // Calls visit(block) for each that is free. With the lock of use() held.
  void each_free(FunctionRef<void(std::byte*)> visit) const;

 private:
  friend class Buffer;

  // A stack that can be taken from at the bottom, too.
  struct FreeList {
    Buffer* newest = nullptr;
    Buffer* oldest = nullptr;
  };

  ~BlockCache();
  void close();
  void take_back(Buffer& buffer) noexcept override;
  Buffer* take_free(const SizeClass& wanted, const MemoryLabel& label);
  Buffer* take_new(const SizeClass& wanted, const MemoryLabel& label, bool again);
  void hand_out(Buffer& buffer, const MemoryLabel& label) noexcept;
  Buffer* take_oldest();  // of all free ones; with the lock held
  void give_up(Buffer* buffer) noexcept;
  void poison(std::byte* data, std::size_t bytes) const noexcept;
  void unpoison(std::byte* data, std::size_t bytes) const noexcept;

  const std::unique_ptr<BlockSource> source_;
  const bool of_host_;
  const std::size_t limit_;
  const std::shared_ptr<MemoryUse> use_;
  // Under the lock of use_:
  std::array<FreeList, SizeClass::kCount> free_;
  std::size_t used_ = 0;
  std::size_t cached_ = 0;
  std::size_t held_ = 0;  // how many buffers
  std::uint64_t clock_ = 0;
  bool closed_ = false;
};

}  // namespace tutti::runtime
