#pragma once

#include <tutti/ir/graph.h>

#include <vector>

namespace tutti::ir {

// Casts that only products of the host read, both of whose operands are such casts, and which they
// do by themselves (products_widen), as in quantised networks: the product reads what is cast,
// which takes a quarter of the memory, or half. For each node.
std::vector<bool> find_widened_operands(const Graph& graph);

}  // namespace tutti::ir
