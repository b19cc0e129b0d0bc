#pragma once

#include <tutti/ir/graph.h>

#include <string>

namespace tutti::tools::show {

// A function in the language of Graphviz: a node for each node, kernels (the attribute `fusion`) as
// clusters, or as one node each if they are folded.
std::string dot_text(const ir::Graph& function, bool folded);

}  // namespace tutti::tools::show
