#pragma once

#include <string>
#include <vector>

#include "tools/launch/file_handle.h"
#include <poll.h>

namespace tutti::tools {

// Hands what is typed to rank 0. A rank is in a process group of its own, which must not read from
// the launcher's terminal: the system would stop it.
class TerminalInput {
 public:
  // Whether stdin is a terminal; other input is simply inherited.
  static bool is_needed();

  TerminalInput();
  // What rank 0 reads from.
  FileHandle take_reading_end() { return std::move(pipe_.read); }

  // Adds what to wait for.
  void add_to(std::vector<pollfd>& polled) const;
  // Whether another job has the terminal: nothing says when that ends.
  bool waits_for_terminal() const;
  // Does what is possible, given what poll said about one of those.
  void handle(const pollfd& ready);

 private:
  Pipe pipe_;
  std::string typed_;  // and not handed on yet
};

}  // namespace tutti::tools
