#include "tests/support/system_calls.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <new>
#include <span>
#include <vector>

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tutti::test {

namespace {

std::vector<pid_t> own_threads() {
  std::vector<pid_t> out;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    out.push_back(static_cast<pid_t>(std::stol(entry.path().filename().string())));
  }
  return out;
}

}  // namespace

// The process that looks on. It was forked off one with threads, so it calls nothing that allocates
// or locks. When it ends, the system lets go of the threads that it looked at.
class SystemCallCounter::Watch {
 public:
  // `go` gives a byte when this process may begin; `answer` takes a number: 0 when all threads are
  // looked at, else errno.
  Watch(Shared& shared, std::span<const pid_t> threads, int go, int answer)
      : shared_(shared), threads_(threads), go_(go), answer_(answer) {}

  [[noreturn]] void run() {
    char byte = 0;
    if (read(go_, &byte, 1) != 1) _exit(1);
    for (const pid_t thread : threads_) seize(thread);
    for (;;) {
      int status = 0;
      const pid_t thread = waitpid(-1, &status, __WALL);
      if (thread < 0 && errno != EINTR) _exit(1);
      if (thread < 0) continue;
      if (WIFSTOPPED(status)) {
        stopped(thread, status);
      } else {
        count_down();  // it ended before it stopped; later on nobody asks
      }
    }
  }

 private:
  static constexpr int kSystemCall = SIGTRAP | 0x80;  // as PTRACE_O_TRACESYSGOOD says it

  void give_answer(int number) const {
    if (write(answer_, &number, sizeof(number)) != sizeof(number)) _exit(1);
  }

  void seize(pid_t thread) {
    const auto options = static_cast<std::uintptr_t>(PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE);
    if (ptrace(PTRACE_SEIZE, thread, nullptr, options) == 0) {
      ++unstopped_;
      ptrace(PTRACE_INTERRUPT, thread, nullptr, nullptr);
    } else if (errno != ESRCH) {  // else it has ended
      give_answer(errno);
      _exit(1);
    }
  }

  // That one more thread is looked at.
  void count_down() {
    if (--unstopped_ == 0) give_answer(0);
  }

  void stopped(pid_t thread, int status) {
    const int reason = WSTOPSIG(status);
    const bool is_event = status >> 16 != 0;
    if (reason == kSystemCall) count(thread);
    // Threads that begin later stop in the same way, but are no longer waited for.
    const bool was_interrupted = is_event && status >> 16 == PTRACE_EVENT_STOP;
    const bool is_signal = reason != kSystemCall && !is_event;
    if (shared_.is_over.load()) _exit(0);
    ptrace(PTRACE_SYSCALL, thread, nullptr, static_cast<std::uintptr_t>(is_signal ? reason : 0));
    if (was_interrupted) count_down();
  }

  void count(pid_t thread) {
    __ptrace_syscall_info call{};
    if (ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof(call), &call) <= 0) return;
    if (call.op != PTRACE_SYSCALL_INFO_ENTRY) return;
    ++shared_.numbers[std::min<std::size_t>(call.entry.nr, kNumbers - 1)];
  }

  Shared& shared_;
  const std::span<const pid_t> threads_;
  const int go_;
  const int answer_;
  int unstopped_ = 0;  // threads that have yet to stop for the first time
};

SystemCallCounter::SystemCallCounter() {
  begin();
  if (!refusal_.empty()) return;
  constexpr auto kAsked = static_cast<std::size_t>(SYS_getppid);
  const std::uint64_t before = numbers()[kAsked];
  syscall(SYS_getppid);
  if (numbers()[kAsked] != before + 1) refusal_ = "the system does not say which calls are made";
}

void SystemCallCounter::begin() {
  void* const memory =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  int go[2] = {-1, -1};
  int answer[2] = {-1, -1};
  if (memory == MAP_FAILED || pipe(go) != 0 || pipe(answer) != 0) {
    refusal_ = std::string("the system gives no memory or no pipe: ") + std::strerror(errno);
    return;
  }
  shared_ = new (memory) Shared;
  const std::vector<pid_t> threads = own_threads();
  watcher_ = fork();
  if (watcher_ == 0) {
    ::close(go[1]);
    ::close(answer[0]);
    Watch(*shared_, threads, go[0], answer[1]).run();
  }
  ::close(go[0]);
  ::close(answer[1]);
  // Where the system lets only parents look at their children.
  if (watcher_ > 0) prctl(PR_SET_PTRACER, watcher_, 0, 0, 0);
  int error = ECHILD;
  const bool answered = watcher_ > 0 && ::write(go[1], "", 1) == 1 &&
                        ::read(answer[0], &error, sizeof(error)) == sizeof(error);
  if (!answered || error != 0) {
    refusal_ = std::string("the system lets no process look at this one: ") + std::strerror(error);
  }
  ::close(go[1]);
  ::close(answer[0]);
}

SystemCallCounter::~SystemCallCounter() {
  if (watcher_ > 0) {
    shared_->is_over.store(true);
    syscall(SYS_getppid);  // it looks
    waitpid(watcher_, nullptr, 0);
  }
  if (shared_ != nullptr) munmap(shared_, sizeof(Shared));
}

SystemCallCounter::Numbers SystemCallCounter::numbers() const {
  Numbers out{};
  for (std::size_t i = 0; i < kNumbers; ++i) out[i] = shared_->numbers[i].load();
  return out;
}

}  // namespace tutti::test
