#include <tutti/runtime/comm/deadline.h>
#include <tutti/runtime/comm/signal.h>
#include <tutti/runtime/pause.h>

#include <algorithm>
#include <climits>
#include <ctime>
#include <thread>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tutti::runtime {

namespace {

using Clock = Deadline::Clock;

constexpr auto kYieldFor = std::chrono::milliseconds(1);
constexpr std::chrono::nanoseconds kLongestSleep = std::chrono::milliseconds(10);

// The kernel reads the word itself; an atomic of 32 bits is nothing but that word.
static_assert(sizeof(std::atomic<std::uint32_t>) == 4);
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

// Not FUTEX_PRIVATE: the word may lie in memory shared by processes.
void sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t value,
                 std::chrono::nanoseconds at_most) {
  timespec time{};
  time.tv_nsec =
      static_cast<long>(std::clamp(at_most, std::chrono::nanoseconds(0), kLongestSleep).count());
  syscall(SYS_futex, &word, FUTEX_WAIT, value, &time, nullptr, 0);
}

class CountedSleeper {
 public:
  explicit CountedSleeper(kernels::Signal& signal) : signal_(signal) {
    signal_.sleepers.fetch_add(1);
  }
  CountedSleeper(const CountedSleeper&) = delete;
  CountedSleeper& operator=(const CountedSleeper&) = delete;
  ~CountedSleeper() { signal_.sleepers.fetch_sub(1); }

 private:
  kernels::Signal& signal_;
};

}  // namespace

bool wait_until(kernels::Signal& signal, int spins, std::chrono::nanoseconds timeout,
                FunctionRef<bool()> ready, FunctionRef<void()> before_sleep) {
  for (int spin = 0; spin < spins; ++spin) {
    if (ready()) return true;
    pause_processor();
  }
  const Clock::time_point start = Clock::now();
  Deadline deadline(timeout, start);
  while (Clock::now() - start < std::min<std::chrono::nanoseconds>(kYieldFor, timeout)) {
    if (ready()) return true;
    std::this_thread::yield();
  }
  for (;;) {
    before_sleep();
    const std::chrono::nanoseconds left = deadline.left();
    if (look_or_sleep(signal, left, ready)) return true;
    if (left.count() <= 0) return false;
  }
}

bool look_or_sleep(kernels::Signal& signal, std::chrono::nanoseconds at_most,
                   FunctionRef<bool()> ready) {
  const CountedSleeper counted(signal);
  const std::uint32_t wakes = signal.wakes.load();
  if (ready()) return true;
  if (at_most.count() > 0) sleep_while(signal.wakes, wakes, at_most);
  return false;
}

void notify(kernels::Signal& signal) {
  if (signal.sleepers.load() == 0) return;
  signal.wakes.fetch_add(1);
  syscall(SYS_futex, &signal.wakes, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace tutti::runtime
