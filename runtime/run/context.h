#pragma once

#include <tutti/runtime/accelerator.h>
#include <tutti/runtime/buffer.h>
#include <tutti/runtime/comm/backend.h>
#include <tutti/runtime/thread_pool.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace tutti::runtime {

class Profile;

// Everything one rank runs with. Belongs to the thread that runs the rank.
struct Context {
  // `threads` counts the calling thread (see ThreadPool).
  Context(std::unique_ptr<Backend> comm, int threads)
      : allocator(host_blocks(comm->large_blocks())), pool(threads), backend(std::move(comm)) {}

  std::int64_t rank() const { return backend->rank(); }
  std::int64_t ranks() const { return backend->ranks(); }

  // At least so many bytes for the plan that runs now, one at a time: the same memory for every
  // plan and every run, once it has grown. Throws EnvironmentError if the system has no more.
  std::byte* arena(std::size_t bytes) { return grown(arena_, arenas_, bytes); }
  // The same on a GPU.
  std::byte* arena(Device device, std::size_t bytes);

  // This rank's use of a GPU, opened when it is first asked for. Throws EnvironmentError like
  // open_accelerator().
  Accelerator& accelerator(Device device);
  // Returns when all work on GPUs is done.
  void synchronize();
  // Another way to use the device of that name, before it is first asked for.
  void use(std::unique_ptr<Accelerator> accelerator);

  Allocator allocator;
  ThreadPool pool;
  std::unique_ptr<Backend> backend;
  // Ranks run programs of their own: their calls are not compared by where these call them.
  bool programs_differ = false;
  std::shared_ptr<Profile> profile;  // what is recorded; null: nothing

 private:
  struct OpenDevice {
    Device device;
    std::unique_ptr<Accelerator> accelerator;
    std::shared_ptr<Buffer> arena;
  };

  static std::byte* grown(std::shared_ptr<Buffer>& arena, Allocator& from, std::size_t bytes) {
    if (arena == nullptr || arena->bytes() < bytes) {
      arena = nullptr;
      arena = from.allocate(bytes);
    }
    return arena->data();
  }
  OpenDevice& open(Device device);

  Allocator arenas_;  // which peers need not reach, and may have huge pages
  std::shared_ptr<Buffer> arena_;
  std::vector<OpenDevice> devices_;
};

}  // namespace tutti::runtime
