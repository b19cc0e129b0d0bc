#pragma once

#include <tutti/runtime/comm/group_work.h>
#include <tutti/runtime/cuda/nccl_communicator.h>
#include <tutti/runtime/dylib/cuda.h>

#include <span>
#include <vector>

namespace tutti::runtime {

// The calls of NCCL's that carry out a collective on a stream, with parts that lie there, on the
// member at a position of so many. NCCL serves it (nccl_serves).
std::vector<NcclCommunicator::Call> nccl_calls(const CollectiveCall& call,
                                               std::span<const PartAddresses> parts, int members,
                                               int position, CUstream stream);

}  // namespace tutti::runtime
