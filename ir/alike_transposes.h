#pragma once

#include <tutti/ir/graph.h>

#include <map>
#include <span>

namespace tutti::ir {

// Of these values those that nothing but transposes of one permutation uses, each with the first of
// its transposes.
std::map<Value, NodeId> alike_transposes(const Graph& graph, std::span<const Value> values);

}  // namespace tutti::ir
