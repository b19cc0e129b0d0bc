#include "tools/launch/output_queue.h"

#include <algorithm>
#include <cerrno>
#include <climits>

#include <poll.h>
#include <unistd.h>

namespace tutti::tools {

void OutputQueue::add(std::string_view text) {
  if (!broken_) text_ += text;
}

void OutputQueue::write_some() {
  std::size_t written = 0;
  while (written < text_.size()) {
    pollfd ready{.fd = descriptor_, .events = POLLOUT, .revents = 0};
    if (poll(&ready, 1, 0) <= 0) break;
    // A pipe that is ready takes this much without blocking, and maybe no more.
    const std::size_t size = std::min<std::size_t>(PIPE_BUF, text_.size() - written);
    const ssize_t taken = write(descriptor_, text_.data() + written, size);
    if (taken > 0) {
      written += static_cast<std::size_t>(taken);
    } else if (taken < 0 && errno != EINTR && errno != EAGAIN) {
      broken_ = true;
      text_ = {};
      return;
    } else {
      break;
    }
  }
  text_.erase(0, written);
}

}  // namespace tutti::tools
