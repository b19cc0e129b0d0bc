#pragma once

#include <tutti/runtime/function_ref.h>
#include <tutti/runtime/process_mark.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>

namespace tutti::runtime {

// Threads that share the tiles of a loop with the thread that calls. Workers spin for some tens of
// microseconds after a loop, then sleep: an idle pool costs nothing. In a process that was forked
// off, which has none of them, every loop runs inline.
class ThreadPool {
 public:
  // `threads` counts the caller: 1 makes no thread and runs every loop inline; 0 means as many as
  // the machine has. Throws EnvironmentError where the system has not so many.
  explicit ThreadPool(int threads = 0);
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool();

  int threads() const { return threads_; }
  // Of the calling thread: 1, 2, ... in a worker (of whichever pool), 0 elsewhere.
  static int thread_number();

  // Calls body(begin, end) on ranges that cover [0, tiles) exactly once, in no order, on the
  // workers and on the caller; returns when all are done. The ranges depend on chance, so a body
  // whose bits must not treats every tile by itself. If bodies throw, the rest is skipped and the
  // first exception is rethrown. Inline: a call from inside a body, and one that finds the pool
  // busy with another thread's loop.
  void parallel_for(std::int64_t tiles, FunctionRef<void(std::int64_t, std::int64_t)> body);

 private:
  using Body = FunctionRef<void(std::int64_t, std::int64_t)>;
  struct Loop;
  struct Workers;

  void work(int number);
  void stop();
  static void run_tiles(Loop& loop);
  // Until a loop other than number `seen` is open; false when the pool ends.
  bool wait_for_loop(std::uint64_t seen);

  std::mutex busy_;  // held by the thread whose loop runs

  // The number of the loop that workers may join, 0 between loops. A worker counts itself into
  // `joined_` before it looks at `open_`, the caller closes `open_` before it looks at `joined_`,
  // all seq_cst: so the caller never leaves while a worker is inside.
  alignas(64) std::atomic<std::uint64_t> open_{0};
  alignas(64) std::atomic<int> joined_{0};
  Loop* loop_ = nullptr;
  std::uint64_t loops_ = 0;

  std::atomic<int> sleepers_{0};
  std::atomic<bool> stopping_{false};
  int threads_ = 1;
  const ProcessMark process_;  // that has the workers
  std::unique_ptr<Workers> workers_;
};

}  // namespace tutti::runtime
