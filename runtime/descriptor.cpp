#include <tutti/runtime/descriptor.h>

#include <cerrno>

#include <fcntl.h>

namespace tutti::runtime {

int Descriptor::moved_up(int number) {
  const int copy = fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  const int error = errno;
  close(number);
  errno = error;
  return copy;
}

}  // namespace tutti::runtime
