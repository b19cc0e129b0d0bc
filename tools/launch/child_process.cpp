#include "tools/launch/child_process.h"

#include <tutti/ir/support/error.h>

#include <cerrno>
#include <cstring>

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

namespace tutti::tools {

namespace {

constexpr const char* kLauncherShell = "/bin/sh";

// In the child, between fork and exec: nothing but system calls, because another thread may have
// held a lock when the process was copied. Writes errno to `report` if it fails.
[[noreturn]] void become(const ChildSetup& setup, pid_t launcher, int report) {
  const rlimit files{.rlim_cur = setup.files.soft, .rlim_max = setup.files.hard};
  const pid_t own = getpid();
  const bool ready =
      setpgid(0, 0) == 0 && write(setup.guard, &own, sizeof(own)) == sizeof(own) &&
      prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && dup2(setup.input, STDIN_FILENO) >= 0 &&
      dup2(setup.output, STDOUT_FILENO) >= 0 && dup2(setup.errors, STDERR_FILENO) >= 0 &&
      setrlimit(RLIMIT_NOFILE, &files) == 0 &&
      (setup.cores == nullptr ||
       sched_setaffinity(0, setup.cores->bytes(), setup.cores->data()) == 0);
  // The launcher may have died before it could be asked for.
  if (getppid() != launcher) _exit(1);
  if (ready) {
    setup.signals.restore();
    execve(setup.file.c_str(), setup.arguments.get(), setup.environment.get());
    if (errno == ENOEXEC)
      execve(kLauncherShell, setup.shell_arguments.get(), setup.environment.get());
  }
  const int reason = errno;
  const ssize_t written = write(report, &reason, sizeof(reason));
  _exit(written > 0 ? 127 : 126);
}

// Waits until the program runs. 0, or why it does not.
int read_report(const FileHandle& report) {
  int reason = 0;
  ssize_t taken = 0;
  do {
    taken = read(report.get(), &reason, sizeof(reason));
  } while (taken < 0 && errno == EINTR);
  return taken == sizeof(reason) ? reason : 0;  // exec closes it
}

}  // namespace

std::string ChildEnd::text() const {
  if (!by_signal) return "exited with code " + std::to_string(number);
  const char* const description = sigdescr_np(number);
  return "killed by signal " + std::to_string(number) +
         (description == nullptr ? "" : " (" + std::string(description) + ")");
}

ChildProcess::ChildProcess(const ChildSetup& setup) {
  Pipe report = make_pipe();
  const pid_t launcher = getpid();
  id_ = fork();
  if (id_ < 0) {
    id_ = 0;
    throw EnvironmentError(system_failure("cannot start a process"));
  }
  if (id_ == 0) become(setup, launcher, report.write.get());
  report.write.close();
  if (const int reason = read_report(report.read); reason != 0) {
    waitpid(std::exchange(id_, 0), nullptr, 0);
    throw ProgramError(setup.file, reason);
  }
}

ChildProcess::~ChildProcess() {
  if (id_ == 0) return;
  send(SIGKILL);
  while (waitpid(id_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

std::optional<ChildEnd> ChildProcess::end() const {
  siginfo_t info{};
  // WNOWAIT leaves it a zombie.
  if (waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
    throw EnvironmentError(system_failure("cannot wait for a process"));
  }
  if (info.si_pid == 0) return {};
  return ChildEnd{.by_signal = info.si_code != CLD_EXITED, .number = info.si_status};
}

void ChildProcess::send(int signal) const { kill(-id_, signal); }

}  // namespace tutti::tools
