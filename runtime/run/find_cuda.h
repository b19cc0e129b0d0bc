#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tutti::runtime {

// What there is of CUDA on this machine, for people: nothing here throws because something is
// missing.
struct FoundCuda {
  struct Library {
    std::string version;  // "13.0"
    std::string path;
    std::string problem;  // why it can't be used, and what to do; empty if it can
  };
  struct Gpu {
    std::string name;    // "NVIDIA H200"
    std::string target;  // "sm_90"
    std::size_t memory_bytes = 0;
    std::string problem;
  };

  std::string headers;  // the version this build was made with; empty: it has no CUDA
  Library driver;
  std::vector<Gpu> gpus;
  Library nvrtc;
  Library cublaslt;
  Library nccl;
};

// Looks where the settings say. A build without CUDA finds nothing.
FoundCuda find_cuda();

}  // namespace tutti::runtime
