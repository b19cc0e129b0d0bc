#include <tutti/runtime/comm/order.h>
#include <tutti/runtime/comm/progress_thread.h>
#include <tutti/runtime/comm/signal.h>
#include <tutti/runtime/start_thread.h>

#include <atomic>
#include <chrono>
#include <memory>

#include <pthread.h>

namespace tutti::runtime {

namespace {

// It is woken by the group of what was started first, and looks at the others as often as that.
constexpr auto kLongestLook = std::chrono::milliseconds(1);

// How often this process' ancestors were forked, since one of them had such a thread.
std::atomic<unsigned> g_forks{0};

unsigned count_forks() {
  static const int registered =
      pthread_atfork(nullptr, nullptr, [] { g_forks.fetch_add(1, std::memory_order_relaxed); });
  static_cast<void>(registered);
  return g_forks.load(std::memory_order_relaxed);
}

}  // namespace

ProgressThread::ProgressThread(ProgramOrder& order)
    : order_(order), forks_(count_forks()), thread_(start_thread([this] { run(); })) {}

void ProgressThread::stop() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  work_.notify_one();
  thread_.join();
}

bool ProgressThread::is_copy() const { return g_forks.load(std::memory_order_relaxed) != forks_; }

void ProgressThread::run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    const std::shared_ptr<kernels::Signal> signal = order_.signal();
    if (signal == nullptr) {
      idle_ = true;
      work_.wait(lock);
      idle_ = false;
      continue;
    }
    lock.unlock();
    look_or_sleep(*signal, kLongestLook, [&] {
      lock.lock();
      has_turn_ = true;
      const bool progressed = !stopping_ && order_.advance_any();
      has_turn_ = false;
      const bool stops = stopping_;
      lock.unlock();
      return progressed || stops;
    });
    lock.lock();
  }
}

}  // namespace tutti::runtime
