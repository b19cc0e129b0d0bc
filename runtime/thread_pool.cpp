#include <tutti/kernels/host/no_signals.h>
#include <tutti/runtime/allowed_cores.h>
#include <tutti/runtime/pause.h>
#include <tutti/runtime/start_thread.h>
#include <tutti/runtime/thread_pool.h>

#include <algorithm>
#include <condition_variable>
#include <thread>
#include <vector>

namespace tutti::runtime {

namespace {

// Marks a thread that is inside a body: what it calls runs inline.
thread_local bool inside_body = false;
thread_local int own_number = 0;

// Pieces a thread takes on average: more balance better, fewer cost less.
constexpr std::int64_t kPiecesPerThread = 8;

}  // namespace

struct ThreadPool::Loop {
  const Body& body;
  const std::int64_t tiles;
  const std::int64_t piece;
  alignas(64) std::atomic<std::int64_t> next{0};
  std::mutex failure_mutex = {};
  std::exception_ptr failure = {};
};

// The threads, and where they sleep.
struct ThreadPool::Workers {
  std::mutex mutex = {};
  std::condition_variable wake = {};
  std::vector<std::thread> threads = {};
};

ThreadPool::ThreadPool(int threads)
    : threads_(threads > 0 ? threads : count_of_allowed_cores()),
      workers_(std::make_unique<Workers>()) {
  workers_->threads.reserve(static_cast<std::size_t>(threads_ - 1));
  try {
    for (int i = 1; i < threads_; ++i) {
      workers_->threads.push_back(start_thread([this, i] { work(i); }));
    }
  } catch (...) {
    stop();
    throw;
  }
}

ThreadPool::~ThreadPool() {
  // The copies of the threads can't be ended, nor what they sleep on destroyed: that waits for
  // those who sleep.
  if (threads_ > 1 && process_.is_copy()) {
    static_cast<void>(workers_.release());
    return;
  }
  stop();
}

void ThreadPool::stop() {
  {
    const std::scoped_lock lock(workers_->mutex);
    stopping_.store(true);
  }
  workers_->wake.notify_all();
  for (std::thread& worker : workers_->threads) worker.join();
}

void ThreadPool::parallel_for(std::int64_t tiles, Body body) {
  if (tiles <= 0) return;
  const kernels::NoSignals around_all_pieces;
  std::unique_lock busy(busy_, std::defer_lock);
  if (threads_ == 1 || tiles == 1 || inside_body || process_.is_copy() || !busy.try_lock()) {
    body(0, tiles);
    return;
  }

  const std::int64_t piece = std::max<std::int64_t>(1, tiles / (threads() * kPiecesPerThread));
  Loop loop{.body = body, .tiles = tiles, .piece = piece};
  loop_ = &loop;
  open_.store(++loops_);
  // A worker that goes to sleep counts itself, then looks at open_: one of us sees the other.
  if (sleepers_.load() > 0) {
    {
      const std::scoped_lock lock(workers_->mutex);
    }
    workers_->wake.notify_all();
  }
  run_tiles(loop);
  open_.store(0);
  // Those inside are busy with their last piece. No new one can come in.
  for (int spins = 0; joined_.load() != 0; ++spins) {
    if (spins < kSpinPauses) {
      pause_processor();
    } else {
      std::this_thread::yield();
    }
  }
  if (loop.failure) std::rethrow_exception(loop.failure);
}

void ThreadPool::run_tiles(Loop& loop) {
  inside_body = true;
  for (;;) {
    const std::int64_t begin = loop.next.fetch_add(loop.piece, std::memory_order_relaxed);
    if (begin >= loop.tiles) break;
    try {
      loop.body(begin, std::min(begin + loop.piece, loop.tiles));
    } catch (...) {
      const std::scoped_lock lock(loop.failure_mutex);
      if (!loop.failure) loop.failure = std::current_exception();
      loop.next.store(loop.tiles, std::memory_order_relaxed);
    }
  }
  inside_body = false;
}

int ThreadPool::thread_number() { return own_number; }

void ThreadPool::work(int number) {
  own_number = number;
  const kernels::NoSignals around_all_loops;
  std::uint64_t seen = 0;
  for (;;) {
    if (!wait_for_loop(seen)) return;
    joined_.fetch_add(1);
    // Whichever loop is open now stays open until we have left it.
    if (const std::uint64_t open = open_.load(); open != 0) {
      seen = open;
      run_tiles(*loop_);
    }
    joined_.fetch_sub(1);
  }
}

bool ThreadPool::wait_for_loop(std::uint64_t seen) {
  const auto is_new = [&] {
    const std::uint64_t open = open_.load();
    return open != 0 && open != seen;
  };
  for (int spins = 0; spins < kSpinPauses; ++spins) {
    if (is_new()) return true;
    if (stopping_.load(std::memory_order_relaxed)) return false;
    pause_processor();
  }
  std::unique_lock lock(workers_->mutex);
  sleepers_.fetch_add(1);
  workers_->wake.wait(lock, [&] { return is_new() || stopping_.load(); });
  sleepers_.fetch_sub(1);
  return !stopping_.load();
}

}  // namespace tutti::runtime
