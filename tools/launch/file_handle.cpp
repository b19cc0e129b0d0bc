#include "tools/launch/file_handle.h"

#include <tutti/ir/support/error.h>

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/resource.h>

namespace tutti::tools {

Pipe make_pipe() {
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) throw EnvironmentError(system_failure("cannot make a pipe"));
  return {.read = FileHandle(ends[0]), .write = FileHandle(ends[1])};
}

void set_nonblocking(const FileHandle& file) {
  const int flags = fcntl(file.get(), F_GETFL);
  if (flags < 0 || fcntl(file.get(), F_SETFL, flags | O_NONBLOCK) != 0) {
    throw EnvironmentError(system_failure("cannot make a pipe non-blocking"));
  }
}

void open_standard_files() {
  // open() takes the lowest free number.
  int opened = 0;
  do {
    opened = open("/dev/null", O_RDWR);
    if (opened < 0) throw EnvironmentError(system_failure("cannot open /dev/null"));
  } while (opened <= STDERR_FILENO);
  close(opened);
}

FileLimit allow_open_files(unsigned long count) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
    throw EnvironmentError(system_failure("cannot ask for the limit of open files"));
  }
  const FileLimit before{.soft = limit.rlim_cur, .hard = limit.rlim_max};
  if (limit.rlim_cur >= count) return before;
  if (limit.rlim_max < count) {
    throw EnvironmentError("so many ranks need " + std::to_string(count) +
                           " open files, but the limit is " + std::to_string(limit.rlim_max) +
                           " (ulimit -Hn): start fewer ranks or raise it");
  }
  limit.rlim_cur = count;
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) {
    throw EnvironmentError(
        system_failure("cannot raise the limit of open files to " + std::to_string(count)));
  }
  return before;
}

std::string system_failure(const std::string& what) {
  return what + ": " + std::generic_category().message(errno);
}

}  // namespace tutti::tools
