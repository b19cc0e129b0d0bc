#pragma once

#include "tools/launch/launch.h"
#include <CLI/CLI.hpp>

namespace tutti::tools {

// `tutti launch` on the command line.
class LaunchCommand {
 public:
  LaunchCommand(CLI::App& app, int argc, char** argv);
  LaunchCommand(const LaunchCommand&) = delete;
  LaunchCommand& operator=(const LaunchCommand&) = delete;

  // How many of the arguments are for the parser: what stands behind "--" belongs to the program.
  int parsed_arguments() const { return parsed_arguments_; }
  // When the command has run: its exit code.
  int exit_code() const { return exit_code_; }

 private:
  void run();

  CLI::App* command_;
  LaunchOptions options_;
  bool no_prefix_ = false;
  int parsed_arguments_;
  std::vector<std::string> behind_;  // "--" and all that follows
  int exit_code_ = 0;
};

}  // namespace tutti::tools
