#pragma once

#include <tutti/runtime/buffer.h>
#include <tutti/runtime/comm/backend.h>
#include <tutti/runtime/thread_pool.h>

#include <cstdint>
#include <memory>

namespace tutti::runtime {

// Everything one rank runs with. Belongs to the thread that runs the rank.
struct Context {
  // `threads` counts the calling thread (see ThreadPool).
  Context(std::unique_ptr<Backend> comm, int threads) : pool(threads), backend(std::move(comm)) {}

  std::int64_t rank() const { return backend->rank(); }
  std::int64_t ranks() const { return backend->ranks(); }

  Allocator allocator;
  ThreadPool pool;
  std::unique_ptr<Backend> backend;
};

}  // namespace tutti::runtime
