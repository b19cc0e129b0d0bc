#pragma once

#include <tutti/runtime/settings.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

namespace tutti::runtime {

// What the environment says about this process's place among the ranks of its job.
struct LaunchEnvironment {
  std::int64_t rank = 0;
  std::int64_t ranks = 1;
  std::int64_t local_rank = 0;   // among the ranks on this host
  std::int64_t local_ranks = 1;  // how many there are on this host
  // A name of letters, digits, '-' and '_' that all ranks of this job on this host share, and no
  // other job; empty in a world of one.
  std::string rendezvous;
  std::string source;  // whose variables were read, for messages; "none" in a process by itself
  std::string flight_recorder;  // TUTTI_FLIGHT_RECORDER: where a rank writes its record on an error
  int threads = 0;              // TUTTI_THREADS; 0: not said
  std::optional<std::chrono::milliseconds> timeout;  // TUTTI_TIMEOUT, which is in seconds
};

// Reads what a launcher has set: torchrun's variables (`tutti launch` sets the same), OpenMPI's,
// SLURM's (set by srun: those of an allocation's shell do not count) or MPICH's, in this order. A
// variable that is empty counts as not set. Throws EnvironmentError if they contradict each other,
// or if a setting is malformed.
LaunchEnvironment read_launch_environment(const GetVariable& get = [](const char* name) {
  return std::getenv(name);
});

}  // namespace tutti::runtime
