#include "tools/launch/signals.h"

#include <tutti/ir/support/error.h>

#include <sys/signalfd.h>

namespace tutti::tools {

namespace {

constexpr int kPassedOn[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGCONT, SIGTSTP};

}  // namespace

void SignalState::restore() const {
  sigaction(SIGCHLD, &child, nullptr);
  sigaction(SIGPIPE, &pipe, nullptr);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
}

SignalQueue::SignalQueue() {
  sigset_t queued;
  sigemptyset(&queued);
  sigaddset(&queued, SIGCHLD);
  for (const int signal : kPassedOn) {
    struct sigaction action{};
    sigaction(signal, nullptr, &action);
    if (action.sa_handler != SIG_IGN) sigaddset(&queued, signal);
  }
  file_ = FileHandle(signalfd(-1, &queued, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!file_.is_open()) throw EnvironmentError(system_failure("cannot make a queue of signals"));
  sigprocmask(SIG_BLOCK, &queued, &before_.mask);
  // Where SIGCHLD is ignored, the kernel throws away how a child ended.
  struct sigaction standard{};
  standard.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &standard, &before_.child);
  struct sigaction ignored{};
  ignored.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignored, &before_.pipe);
}

std::optional<int> SignalQueue::next() {
  signalfd_siginfo info{};
  if (read(file_.get(), &info, sizeof(info)) != sizeof(info)) return {};
  return static_cast<int>(info.ssi_signo);
}

std::chrono::steady_clock::duration stop_until_continued() {
  const auto start = std::chrono::steady_clock::now();
  raise(SIGSTOP);
  return std::chrono::steady_clock::now() - start;
}

const char* signal_name(int signal) {
  for (const auto& [number, name] : {std::pair(SIGINT, "SIGINT"), std::pair(SIGTERM, "SIGTERM"),
                                     std::pair(SIGHUP, "SIGHUP"), std::pair(SIGKILL, "SIGKILL")}) {
    if (number == signal) return name;
  }
  return "a signal";
}

}  // namespace tutti::tools
