#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tools/launch/observer.h"

namespace tutti::tools {

inline constexpr std::size_t kMostProcesses = 1024;

// The options of `tutti launch`.
struct LaunchOptions {
  std::size_t ranks = 0;
  int threads = 0;                   // of each rank; 0: TUTTI_THREADS, or its share of the cores
  double timeout = 0;                // of collectives, in seconds; 0: the ranks' own
  bool prefix = true;                // whether lines begin with their rank
  std::string record;                // where flight records go after a failure; empty: nowhere
  std::string profile;               // where the ranks' traces go; empty: nowhere
  std::vector<std::string> program;  // and its arguments
};

// Starts a program as several ranks on this host, prints what they print, and waits for their end.
// Gives the exit code: 0 if all ranks ended well, else that of the rank that failed first (128 and
// the signal's number if one ended it). Throws ProgramError if the program cannot be started.
int launch(const LaunchOptions& options, LaunchObserver* observer = nullptr);

}  // namespace tutti::tools
