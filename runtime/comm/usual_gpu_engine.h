#pragma once

#include <string>

namespace tutti::runtime {

// What carries out collectives of values on GPUs where nobody says it: "nccl" in a process that a
// launcher started as one of several ranks of this host, where there is NCCL and a GPU for each of
// them; else "shm". All ranks of a host find the same as long as they see the same GPUs and
// libraries. Found once a process; says why not in the log (TUTTI_LOG=gpu).
const std::string& usual_gpu_engine();

}  // namespace tutti::runtime
