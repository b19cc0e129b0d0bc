#include "tools/launch/guard.h"

#include <tutti/ir/support/error.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>

#include "tools/launch/launch.h"
#include <sys/prctl.h>
#include <sys/wait.h>

namespace tutti::tools {

namespace {

// Only system calls, as after any fork. The launcher alone has the other end of `groups`: it is
// closed when the launcher is gone.
[[noreturn]] void stand_guard(int groups) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, nullptr);
  setpgid(0, 0);  // what kills the launcher's group does not kill this process
  prctl(PR_SET_NAME, "tutti guard");
  std::array<pid_t, kMostProcesses> known{};
  std::size_t count = 0;
  pid_t group = 0;
  while (read(groups, &group, sizeof(group)) == sizeof(group)) {
    if (count < known.size()) known[count++] = group;
  }
  for (std::size_t i = 0; i < count; ++i) kill(-known[i], SIGKILL);
  _exit(0);
}

}  // namespace

Guard::Guard() {
  Pipe pipe = make_pipe();
  id_ = fork();
  if (id_ < 0) throw EnvironmentError(system_failure("cannot start a process"));
  if (id_ == 0) {
    pipe.write.close();
    stand_guard(pipe.read.get());
  }
  groups_ = std::move(pipe.write);
}

Guard::~Guard() {
  kill(id_, SIGKILL);
  while (waitpid(id_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace tutti::tools
