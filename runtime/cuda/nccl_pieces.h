#pragma once

#include <tutti/runtime/comm/collective.h>

#include <cstdint>
#include <vector>

namespace tutti::runtime {

// What a rank sends and receives of a part, where NCCL has no function for it: elements of the
// operand that go to a member, and of the result that come from one.
struct NcclPiece {
  int member = 0;
  std::int64_t offset = 0;
  std::int64_t elements = 0;
};
struct NcclPieces {
  std::vector<NcclPiece> sent = {};
  std::vector<NcclPiece> received = {};
};

// Of a gather, scatter, all_to_all, collective_permute, or an all_gather of uneven parts. (Uneven
// parts of a reduce_scatter are combined by a call of NCCL's for each.)
NcclPieces nccl_pieces(const CollectiveCall& call, const TensorPart& part, int members,
                       int position);

}  // namespace tutti::runtime
