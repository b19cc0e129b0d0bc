#pragma once

#include <cstddef>
#include <vector>

#include "tests/fake_cuda/nccl/communicator.h"

namespace tutti::fake_cuda {

std::size_t bytes_of(NcclType type);

// Combines the operands of all ranks, `count` elements each, to `to`. Each element in the order in
// which a ring would: it ends at the rank that owns its part, so that nothing rests on the order of
// ranks.
void reduce(NcclType type, NcclOperation operation, std::size_t count,
            const std::vector<const std::byte*>& operands, std::byte* to);

}  // namespace tutti::fake_cuda
