#pragma once

#include <tutti/ir/graph.h>

#include <cstdint>
#include <vector>

namespace tutti::tools::show {

// For every node of `after`, the node of `before` that it was, or -1 if it is new. A pass renumbers
// values, so text can't tell: both are gone through in order, past nodes that only one has; what is
// left over is looked for anywhere, as the same op with the same operands, or with some of them.
// Takes time about linear in the number of nodes.
std::vector<std::int64_t> match_nodes(const ir::Graph& before, const ir::Graph& after);

}  // namespace tutti::tools::show
