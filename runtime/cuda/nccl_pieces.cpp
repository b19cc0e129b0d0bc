#include <tutti/ir/support/error.h>
#include <tutti/runtime/cuda/nccl_pieces.h>

namespace tutti::runtime {

namespace {

// How many elements of the axis' pieces each member has, in order.
std::vector<std::int64_t> shares(const TensorPart& part, std::int64_t all, int members) {
  std::vector<std::int64_t> out;
  for (int member = 0; member < members; ++member) {
    const bool even = part.sizes.empty();
    out.push_back(even ? all / members : part.sizes[static_cast<std::size_t>(member)] * part.inner);
  }
  return out;
}

// The pieces of memory that lie one behind the other, one a member.
std::vector<NcclPiece> in_order(const std::vector<std::int64_t>& shares) {
  std::vector<NcclPiece> out;
  std::int64_t offset = 0;
  for (std::size_t member = 0; member < shares.size(); ++member) {
    out.push_back({static_cast<int>(member), offset, shares[member]});
    offset += shares[member];
  }
  return out;
}

}  // namespace

NcclPieces nccl_pieces(const CollectiveCall& call, const TensorPart& part, int members,
                       int position) {
  const std::int64_t result = result_elements(call, part, members, position);
  NcclPieces out;
  switch (call.kind) {
    case CollectiveKind::all_gather:
      for (int member = 0; member < members; ++member) {
        out.sent.push_back({member, 0, part.elements});
      }
      out.received = in_order(shares(part, result, members));
      return out;
    case CollectiveKind::gather:
      out.sent.push_back({call.root, 0, part.elements});
      if (position == call.root) out.received = in_order(shares(part, result, members));
      return out;
    case CollectiveKind::scatter:
      if (position == call.root) out.sent = in_order(shares(part, part.elements, members));
      out.received.push_back({call.root, 0, result});
      return out;
    case CollectiveKind::all_to_all:
      out.sent = in_order(shares(part, part.elements, members));
      out.received = in_order(shares(part, result, members));
      return out;
    case CollectiveKind::collective_permute:
      for (const auto& [from, to] : call.pairs) {
        if (from == position) out.sent.push_back({to, 0, part.elements});
        if (to == position) out.received.push_back({from, 0, result});
      }
      return out;
    default:
      throw InternalError("NCCL has a function for " + std::string(name_of(call.kind)));
  }
}

}  // namespace tutti::runtime
