#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/order.h>
#include <tutti/runtime/comm/progress_thread.h>
#include <tutti/runtime/comm/signal.h>
#include <tutti/runtime/start_thread.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include <pthread.h>

namespace tutti::runtime {

namespace {

// It is woken by the group of what was started first, and looks at the others as often as that.
constexpr auto kLongestNap = std::chrono::milliseconds(1);

}  // namespace

// So that a process is forked off while none of them is at work: what they work on is whole there.
class ProgressThread::All {
 public:
  static void add(ProgressThread* thread) {
    const std::scoped_lock lock(mutex_);
    static const int registered = pthread_atfork(hold, let_go, let_go);
    if (registered != 0) throw EnvironmentError("no memory for handlers of fork (pthread_atfork)");
    all().push_back(thread);
  }
  static void remove(ProgressThread* thread) {
    const std::scoped_lock lock(mutex_);
    std::erase(all(), thread);
  }

 private:
  static void hold() {
    mutex_.lock();
    for (ProgressThread* const each : all()) each->gate_.lock();
  }
  static void let_go() {
    for (ProgressThread* const each : all()) each->gate_.unlock();
    mutex_.unlock();
  }

  // Never destroyed: a World may be a static object.
  static std::vector<ProgressThread*>& all() {
    static auto* const out = new std::vector<ProgressThread*>;
    return *out;
  }

  static inline std::mutex mutex_;
};

ProgressThread::ProgressThread(ProgramOrder& order) : order_(order) {
  All::add(this);
  try {
    thread_ = start_thread([this] { run(); });
  } catch (...) {
    All::remove(this);
    throw;
  }
}

ProgressThread::~ProgressThread() { All::remove(this); }

void ProgressThread::stop() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  work_.notify_one();
  thread_.join();
}

void ProgressThread::run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    std::shared_ptr<kernels::Signal> next = order_.signal();
    if (next != signal_) {
      // The last to hold a group drops what was kept for it.
      if (signal_ != nullptr) order_.drop_later(std::move(signal_));
      signal_ = std::move(next);
    }
    if (signal_ == nullptr) {
      idle_ = true;
      work_.wait(lock);
      idle_ = false;
      continue;
    }
    lock.unlock();
    look_or_sleep(*signal_, kLongestNap, [&] { return take_turn(); });
    lock.lock();
  }
}

bool ProgressThread::take_turn() {
  if (wanted_.load(std::memory_order_relaxed)) return false;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  // Whoever has the turn and waits does the same work.
  if (!lock) return false;
  if (stopping_) return true;
  const std::scoped_lock gate(gate_);
  has_turn_ = true;
  const bool advanced = order_.advance_one();
  has_turn_ = false;
  return advanced;
}

}  // namespace tutti::runtime
