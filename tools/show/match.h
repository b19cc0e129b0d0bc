#pragma once

#include <tutti/ir/graph.h>

#include <cstdint>
#include <vector>

namespace tutti::tools::show {

// For every node of `after`, the node of `before` that it was, or -1 if it is new. A pass renumbers
// and reorders values, so text can't tell: first those are found that do the same with the same
// operands, then, among the rest, the same with other operands. Takes time about linear in the
// number of nodes.
std::vector<std::int64_t> match_nodes(const ir::Graph& before, const ir::Graph& after);

}  // namespace tutti::tools::show
