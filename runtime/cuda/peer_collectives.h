#pragma once

#include <tutti/runtime/comm/comm_kernels.h>
#include <tutti/runtime/comm/group_work.h>
#include <tutti/runtime/comm/transport.h>
#include <tutti/runtime/cuda/accelerator.h>
#include <tutti/runtime/cuda/kernel.h>
#include <tutti/runtime/cuda/peer_memory.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tutti::runtime {

// Collectives by kernels of our own that read what the other GPUs have (CommKernels), which are
// faster than NCCL's for small tensors.

// Why this GPU can take part in none; empty: it can.
std::string why_no_comm_kernels(const CudaAccelerator& gpu, const CommKernels* kernels);

// The most blocks that a kernel may have whose blocks wait for those of other GPUs: as many as are
// on this GPU at once, whatever the kernel.
std::uint32_t most_meeting_blocks(const CudaAccelerator& gpu);

// What is launched for one part of a call.
struct PeerLaunch {
  CommKernel kernel;
  PartAddresses part;
  std::int64_t elements = 0;
};

// What carries a call out, part by part; none: NCCL does. `table` is the world's; `is_shared` says
// of a place whether it lies in the memory that all reach, at the same place on all members, who
// all find the same from that, the call and the number of members; `multicast`, whether that is
// multicast memory, too.
std::vector<PeerLaunch> choose_comm_kernels(const GroupCall& call,
                                            std::span<const PartAddresses> parts,
                                            const AlgorithmTable& table, int members,
                                            const std::function<bool(const void*)>& is_shared,
                                            bool multicast);

// Whether they are one kernel that companions may be parts of.
bool takes_companions(std::span<const PeerLaunch> launches);

// The code of a kernel of CUDA's; other code is a bug (InternalError).
std::shared_ptr<const CudaKernel> of_cuda(std::shared_ptr<const DeviceCode> code);

// The kernels of one group, as far as they were needed. Belongs to the rank's thread, which has
// entered.
class PeerCollectives {
 public:
  // `most_blocks` of a launch, which the members have agreed on.
  PeerCollectives(const CommKernels& kernels, std::uint32_t most_blocks)
      : kernels_(&kernels), most_blocks_(most_blocks) {}

  // Puts it on a stream of the GPU's; `keeping` gets what has to live until that is over. Throws
  // EnvironmentError where the driver or the compiler refuses; places that not all members reach
  // are a bug (InternalError).
  void launch(std::span<const PeerLaunch> launches, const std::shared_ptr<PeerMemory>& peers,
              CudaAccelerator& gpu, CUstream on, Keeping& keeping);
  // The same of one that takes companions, with these of its own, which `kernels` makes it with,
  // and what they take. With a follower its result is nowhere.
  void launch(const PeerLaunch& launch, const FusedCommKernels& kernels, Companions companions,
              std::span<void* const> arguments, const std::shared_ptr<PeerMemory>& peers,
              CudaAccelerator& gpu, CUstream on, Keeping& keeping) const;

 private:
  std::uint32_t blocks_of(const PeerLaunch& launch) const;
  std::shared_ptr<const CudaKernel> kernel_of(const CommKernel& kernel, const CudaAccelerator& gpu);

  const CommKernels* kernels_;
  std::uint32_t most_blocks_;
  std::vector<std::pair<CommKernel, std::shared_ptr<const CudaKernel>>> codes_;
};

}  // namespace tutti::runtime
