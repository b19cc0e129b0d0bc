#include <algorithm>
#include <cstddef>
#include <vector>

#include "tests/fake_cuda/nccl/communicator.h"
#include "tests/fake_cuda/nccl/reduce.h"

namespace tutti::fake_cuda {

namespace {

struct Range {
  const std::byte* begin;
  std::size_t bytes;

  bool meets(const Range& other) const {
    return bytes > 0 && other.bytes > 0 && begin < other.begin + other.bytes &&
           other.begin < begin + bytes;
  }
};

// Whether a collective is one that NCCL carries out in place.
bool is_in_place(const NcclCall& call, int rank) {
  const auto* const from = static_cast<const std::byte*>(call.from);
  const auto* const to = static_cast<const std::byte*>(call.to);
  const std::size_t before = static_cast<std::size_t>(rank) * call.count * bytes_of(call.type);
  if (call.kind == NcclCall::Kind::all_gather) return from == to + before;
  if (call.kind == NcclCall::Kind::reduce_scatter) return to == from + before;
  return from == to;
}

}  // namespace

void check_places(const std::vector<NcclCall>& calls, int size, int rank) {
  std::vector<Range> messages;
  for (const NcclCall& call : calls) {
    const Range from{static_cast<const std::byte*>(call.from), call.sent_bytes(size, rank)};
    const Range to{static_cast<const std::byte*>(call.to), call.received_bytes(size, rank)};
    if (!is_message(call)) {
      const bool wrong = from.meets(to) && !is_in_place(call, rank);
      if (wrong) complain_of_nccl("the places overlap: " + call.text());
      continue;
    }
    messages.push_back(call.kind == NcclCall::Kind::send ? from : to);
  }
  std::size_t i = 0;
  for (const NcclCall& call : calls) {
    if (!is_message(call)) continue;
    const Range& own = messages[i++];
    if (call.kind != NcclCall::Kind::receive) continue;
    const auto met =
        std::ranges::count_if(messages, [&](const Range& other) { return other.meets(own); });
    if (met > (own.bytes > 0 ? 1 : 0)) complain_of_nccl("the places overlap: " + call.text());
  }
}

}  // namespace tutti::fake_cuda
