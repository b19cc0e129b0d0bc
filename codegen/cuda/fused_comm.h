#pragma once

#include <tutti/codegen/cuda/source.h>
#include <tutti/codegen/kernel/kernel.h>
#include <tutti/runtime/comm/comm_kernels.h>

#include <memory>
#include <optional>

namespace tutti::codegen::cuda {

// A kernel that makes the operand of a collective or reads its result (goes_along(),
// fuse_collectives.h), which is one of its buffers.
struct CommCompanion {
  Kernel kernel;
  int shared = 0;
};

// A kernel that carries a collective out, with one that leads it, or follows it, or both. Each
// block makes what the same block of the others is going to read of its operand, in front of their
// first meeting; what a thread has of the result goes on in its registers. The bits are those of
// the kernels apart.
Source fused_comm_source(const runtime::CommKernel& comm,
                         const std::optional<CommCompanion>& leader,
                         const std::optional<CommCompanion>& follower);

// Makes them by Compiler::shared().
std::shared_ptr<const runtime::FusedCommKernels> fused_comm_kernels(
    std::optional<CommCompanion> leader, std::optional<CommCompanion> follower);

}  // namespace tutti::codegen::cuda
