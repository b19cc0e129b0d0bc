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
    std::string bus;        // "0000:1b:00.0"; empty where that is not known, as the next
    std::string numa_node;  // "0"
    // One process at a time may use it (compute mode).
    bool exclusive = false;
    bool multicast = false;  // can be part of memory that a switch between GPUs writes and sums
    bool fabric = false;     // can give memory to GPUs of other hosts
    std::string problem;
  };
  // How one GPU gets at another one's memory.
  struct Link {
    std::size_t from = 0;
    std::size_t to = 0;
    bool direct = false;   // peer access; else by way of the host
    bool atomics = false;  // the link carries them, as NVLink does and PCIe does not
    int rank = 0;          // 0: as fast as any of this machine
  };

  std::string headers;  // the version this build was made with; empty: it has no CUDA
  Library driver;
  std::vector<Gpu> gpus;
  std::vector<Link> links;  // of each to each other one, where the driver tells
  Library nvrtc;
  std::string nvrtc_refusal;  // why the driver refuses what that compiles; empty: it takes it
  Library cublaslt;
  Library nccl;
  std::string no_windows;  // why NCCL would have none on the first GPU; empty: it would
};

// Looks where the settings say. A build without CUDA finds nothing. `pci_devices` is the folder in
// which the system describes the devices of buses.
FoundCuda find_cuda(const std::string& pci_devices = "/sys/bus/pci/devices");

}  // namespace tutti::runtime
