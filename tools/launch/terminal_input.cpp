#include "tools/launch/terminal_input.h"

#include <array>
#include <cerrno>

namespace tutti::tools {

bool TerminalInput::is_needed() { return isatty(STDIN_FILENO) == 1; }

TerminalInput::TerminalInput() : pipe_(make_pipe()) { set_nonblocking(pipe_.write); }

void TerminalInput::add_to(std::vector<pollfd>& polled) const {
  if (!pipe_.write.is_open()) return;
  // Without an event asked for, poll still says when the rank closes its end.
  const short wanted = typed_.empty() ? 0 : POLLOUT;
  polled.push_back({.fd = pipe_.write.get(), .events = wanted, .revents = 0});
  // The launcher too must not read while another job has the terminal.
  if (typed_.empty() && tcgetpgrp(STDIN_FILENO) == getpgrp()) {
    polled.push_back({.fd = STDIN_FILENO, .events = POLLIN, .revents = 0});
  }
}

bool TerminalInput::waits_for_terminal() const {
  if (!pipe_.write.is_open() || !typed_.empty()) return false;
  const pid_t owner = tcgetpgrp(STDIN_FILENO);
  return owner >= 0 && owner != getpgrp();
}

void TerminalInput::handle(const pollfd& ready) {
  if (ready.revents == 0 || !pipe_.write.is_open()) return;
  if (ready.fd == STDIN_FILENO) {
    std::array<char, 4096> bytes;
    const ssize_t taken = read(STDIN_FILENO, bytes.data(), bytes.size());
    if (taken > 0) {
      typed_.assign(bytes.data(), static_cast<std::size_t>(taken));
    } else if (taken == 0 || (errno != EINTR && errno != EAGAIN)) {
      pipe_.write.close();  // the end of input
    }
  } else if (ready.fd == pipe_.write.get()) {
    if ((ready.revents & POLLERR) != 0) {
      pipe_.write.close();
      return;
    }
    const ssize_t taken = write(pipe_.write.get(), typed_.data(), typed_.size());
    if (taken > 0) typed_.erase(0, static_cast<std::size_t>(taken));
  }
}

}  // namespace tutti::tools
