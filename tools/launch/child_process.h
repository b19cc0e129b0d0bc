#pragma once

#include <optional>
#include <string>

#include "tools/launch/cores.h"
#include "tools/launch/file_handle.h"
#include "tools/launch/program.h"
#include "tools/launch/signals.h"
#include <sys/types.h>

namespace tutti::tools {

// What a new process is to be.
struct ChildSetup {
  const std::string& file;
  const StringPointers& arguments;
  const StringPointers& shell_arguments;  // for a script without "#!", as shells do
  const StringPointers& environment;
  int input;  // what becomes its descriptors 0, 1 and 2
  int output;
  int errors;
  int guard;             // where it writes its number
  const CoreSet* cores;  // null: any
  const SignalState& signals;
  const FileLimit& files;
};

// How a process ended.
struct ChildEnd {
  bool by_signal = false;
  int number = 0;  // the signal or the exit code

  bool failed() const { return by_signal || number != 0; }
  int exit_code() const { return by_signal ? 128 + number : number; }
  // "exited with code 3", "killed by signal 9 (Killed)"
  std::string text() const;
};

// A process that leads a group of its own and dies with this one. What is left of the group is
// killed at the end of the object's life. Until then its number is kept from being given to
// another process, so that signals reach no stranger.
class ChildProcess {
 public:
  // Throws ProgramError if the program cannot be run.
  explicit ChildProcess(const ChildSetup& setup);
  ChildProcess(ChildProcess&& other) noexcept : id_(std::exchange(other.id_, 0)) {}
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess();

  // How it ended, if it has.
  std::optional<ChildEnd> end() const;
  // To the whole group.
  void send(int signal) const;

 private:
  pid_t id_ = 0;
};

}  // namespace tutti::tools
