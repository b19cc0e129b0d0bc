#pragma once

#include <tutti/ir/graph.h>

#include <span>
#include <vector>

namespace tutti::ir::family::control {

// The values of a loop's body that its gradient has the loop keep, a step each, in place of
// computing them again: those that `outputs` of the graph need, and that take more than arithmetic
// on each element (products, reductions, sorting). Elementwise ops and views are cheaper to repeat
// than to store. `places`: where the body's values are in the graph, by id. What is kept has the
// replication and the device of the body's parameters.
std::vector<Value> kept_values(const Graph& body, const Graph& graph, std::span<const Value> places,
                               std::span<const Value> outputs);

// The graph with its i-th parameter in place of value `values[i]`, for all i from `first` on; what
// nobody needs any more stays.
Graph with_kept_values(const Graph& graph, std::span<const Value> values, std::size_t first);

}  // namespace tutti::ir::family::control
