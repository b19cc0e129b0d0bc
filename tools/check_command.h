#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

#include "tools/launch/child_process.h"
#include "tools/launch/signals.h"

namespace tutti::tools {

// A command of the user's that says something about a file by its exit code. While the object lives
// a signal that would end this process ends the command instead, and is reported.
class CheckCommand {
 public:
  // `command` is for the shell; the file's name stands in it for every `{}`, or else at its end.
  CheckCommand(std::string command, std::chrono::milliseconds most_time);

  enum class Outcome : std::uint8_t { zero, other, timed_out, interrupted };
  struct Answer {
    Outcome outcome;
    std::string text;  // "exited with code 3"
  };
  // Runs the command and ends all that it left running. What it prints is lost, unless it is to be
  // heard: then it goes to stderr. Throws EnvironmentError if it cannot be started.
  Answer run(const std::filesystem::path& file, bool is_heard);

 private:
  Answer wait_for(const ChildProcess& child);

  std::string command_;
  std::chrono::milliseconds most_time_;
  SignalQueue signals_;
};

}  // namespace tutti::tools
