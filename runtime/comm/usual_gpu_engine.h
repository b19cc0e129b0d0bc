#pragma once

#include <tutti/kernels/host/collectives.h>
#include <tutti/runtime/comm/launch_environment.h>

#include <span>
#include <string>

namespace tutti::runtime {

// What carries out collectives of values on GPUs where nobody says it: "nccl" in a process that a
// launcher started as one of several ranks of this host, where there is a GPU for each of them and
// all have the same NCCL; else "shm". Says why not in the log (TUTTI_LOG=gpu).
const std::string& usual_gpu_engine();

// What this rank has to tell the others so that all find the same: loads NCCL where a launcher has
// started several ranks and there is a driver, but asks no GPU.
kernels::NcclOfRank find_nccl_of_rank(const LaunchEnvironment& launched);

// Of what all ranks of the host have told each other, by rank: usual_gpu_engine() goes by it from
// here on.
void agree_about_nccl(std::span<const kernels::NcclOfRank> said);

}  // namespace tutti::runtime
