#pragma once

#include <tutti/runtime/accelerator.h>
#include <tutti/runtime/buffer.h>
#include <tutti/runtime/comm/backend.h>
#include <tutti/runtime/thread_pool.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tutti::runtime {

class Profile;

// What a plan keeps in an arena.
struct ArenaContents {
  MemoryLabel label;                 // of the whole
  std::vector<MemoryBlock> largest;  // values in it; not all at the same time
};

// Everything one rank runs with. Belongs to the thread that runs the rank.
struct Context {
  // `threads` counts the calling thread (see ThreadPool).
  Context(std::unique_ptr<Backend> comm, int threads)
      : memory_use(comm->memory_use()),
        allocator(host_blocks(comm->large_blocks()), Allocator::kDefaultCacheBytes, memory_use),
        pool(threads),
        backend(std::move(comm)),
        arenas_(host_blocks(), Allocator::kDefaultCacheBytes, memory_use) {}

  // What is profiled is done with its GPUs.
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  std::int64_t rank() const { return backend->rank(); }
  std::int64_t ranks() const { return backend->ranks(); }

  // At least so many bytes for the plan that runs now, one at a time: the same memory for every
  // plan and every run, once it has grown. Throws OutOfMemoryError if the system has no more.
  std::byte* arena(std::size_t bytes, const ArenaContents& contents) {
    return arena_.at_least(bytes, arenas_, contents);
  }
  // The same on a GPU.
  std::byte* arena(Device device, std::size_t bytes, const ArenaContents& contents);
  // The largest values of the plan that made a device's arena as large as it is.
  std::vector<MemoryBlock> arena_contents(Device device);
  // Where its memory comes from.
  Allocator& allocator_of(Device device);

  // This rank's use of a GPU, opened when it is first asked for. Throws EnvironmentError like
  // open_accelerator().
  Accelerator& accelerator(Device device);
  // Returns when all work on GPUs is done.
  void synchronize();
  // Another way to use the device of that name, before it is first asked for.
  void use(std::unique_ptr<Accelerator> accelerator);

  const std::shared_ptr<MemoryUse> memory_use;  // of the host
  Allocator allocator;
  ThreadPool pool;
  std::unique_ptr<Backend> backend;
  // Ranks run programs of their own: their calls are not compared by where these call them.
  bool programs_differ = false;
  std::shared_ptr<Profile> profile;  // what is recorded; null: nothing

 private:
  class Arena {
   public:
    std::byte* at_least(std::size_t bytes, Allocator& from, const ArenaContents& contents) {
      if (memory_ == nullptr || memory_->bytes() < bytes) grow(bytes, from, contents);
      return memory_->data();
    }
    const std::vector<MemoryBlock>& contents() const { return contents_; }

   private:
    void grow(std::size_t bytes, Allocator& from, const ArenaContents& contents);

    std::shared_ptr<Buffer> memory_;
    std::vector<MemoryBlock> contents_;
  };
  struct OpenDevice {
    Device device;
    std::unique_ptr<Accelerator> accelerator;
    Arena arena = {};
  };

  OpenDevice& open(Device device);

  Allocator arenas_;  // which peers need not reach, and may have huge pages
  Arena arena_;
  std::vector<OpenDevice> devices_;
};

}  // namespace tutti::runtime
