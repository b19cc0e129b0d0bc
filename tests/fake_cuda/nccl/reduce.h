#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/fake_cuda/nccl/communicator.h"

namespace tutti::fake_cuda {

std::size_t bytes_of(NcclType type);

// How NCCL combines an element of all ranks, by the kernel that it takes.
enum class ReductionOrder : std::uint8_t {
  ring,       // ends at the rank that owns the element's part; each hop is rounded to the type
  ranks,      // LL: in the order of the ranks, in f32 at least, as the next two
  owner,      // two-shot: begins at the rank that owns the part
  by_switch,  // NVLS: in that of the device; here pair by pair, from the last rank
};
// The one for a call of a communicator of so many ranks. Where TUTTI_TEST_FAKE_NCCL_ORDER says one
// of these names, that one; where it says a number, a seed, it is drawn for each communicator, by
// the size and by whether all places are in windows, as NCCL chooses; else it is the ring's, in
// which nothing rests on the order of ranks and most is rounded. All ranks choose alike.
ReductionOrder reduction_order(const NcclCall& call, const std::string& communicator,
                               std::size_t ranks);

// Combines the operands of all ranks, `count` elements each, to `to`.
void reduce(NcclType type, NcclOperation operation, ReductionOrder order, std::size_t count,
            const std::vector<const std::byte*>& operands, std::byte* to);

}  // namespace tutti::fake_cuda
