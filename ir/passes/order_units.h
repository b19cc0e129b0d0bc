#pragma once

#include <tutti/ir/graph.h>

#include <span>
#include <vector>

namespace tutti::ir {

// A program order in which the nodes of each group are side by side; `group_of` says every node's
// group, -1 for none. Nodes keep their places where that allows it: units come in the order of
// their first node as soon as what they depend on is there. Collectives keep their order. A wait,
// and a view of what was waited for, moves down to just before its first consumer. An alias of a
// group's member that another member reads stands inside the group.
//
// `sources` is look_through_aliases(graph). Throws InternalError if a path leads out of a group and
// back into it.
std::vector<NodeId> order_units(const Graph& graph, std::span<const Value> sources,
                                std::span<const std::int32_t> group_of);

}  // namespace tutti::ir
