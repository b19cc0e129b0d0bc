#pragma once

#include <tutti/ir/graph.h>

#include <optional>
#include <span>
#include <vector>

// Whether ranks that meet in a collective mean the same one. The backends compare the same things
// by fingerprints when they meet; messages have no such call in common.
namespace tutti::ir {

// The attributes, as positions in the op's definition, that two members' calls of one op have to
// share and do not. A group is compared by who meets in it, and what a member says of itself alone
// (`part`, what it sends to and receives from each member) may differ.
std::vector<std::size_t> differing_attributes(const Graph& a, NodeId at_a, const Graph& b,
                                              NodeId at_b);

// Whether two members' calls, of ops that are no messages, are calls of the same collective: op,
// number of operands, their dtypes and shapes (but for an axis that may be uneven), attributes.
bool same_collective(const Graph& a, NodeId at_a, const Graph& b, NodeId at_b);

// Members of an all_to_all that do not expect the same of each other: positions in the group.
struct UnevenExchange {
  std::size_t from;
  std::size_t to;
  std::int64_t sent;      // by `from` to `to`
  std::int64_t received;  // by `to` from `from`
};

// The first such two, given all members' attributes in their order; none if all parts are equal.
std::optional<UnevenExchange> uneven_exchange(std::span<const Attributes> members);

}  // namespace tutti::ir
