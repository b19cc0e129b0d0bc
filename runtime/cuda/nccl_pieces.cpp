#include <tutti/ir/support/error.h>
#include <tutti/runtime/cuda/nccl_pieces.h>

namespace tutti::runtime {

namespace {

// How many elements of the axis' pieces each member has, in order: by these sizes, or in equal
// parts.
std::vector<std::int64_t> shares(const std::vector<std::int64_t>& sizes, std::int64_t inner,
                                 std::int64_t all, int members) {
  std::vector<std::int64_t> out;
  for (int member = 0; member < members; ++member) {
    out.push_back(sizes.empty() ? all / members : sizes[static_cast<std::size_t>(member)] * inner);
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
  const auto pieces = [&](const std::vector<std::int64_t>& sizes, std::int64_t all) {
    return in_order(shares(sizes, part.inner, all, members));
  };
  NcclPieces out;
  switch (call.kind) {
    case CollectiveKind::all_gather:
      for (int member = 0; member < members; ++member) {
        out.sent.push_back({member, 0, part.elements});
      }
      out.received = pieces(part.sizes, result);
      return out;
    case CollectiveKind::gather:
      out.sent.push_back({call.root, 0, part.elements});
      if (position == call.root) out.received = pieces(part.sizes, result);
      return out;
    case CollectiveKind::scatter:
      if (position == call.root) out.sent = pieces(part.sizes, part.elements);
      out.received.push_back({call.root, 0, result});
      return out;
    case CollectiveKind::all_to_all:
      out.sent = pieces(part.sizes, part.elements);
      out.received = pieces(part.receive_sizes, result);
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
