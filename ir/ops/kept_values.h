#pragma once

#include <tutti/ir/graph.h>

#include <span>
#include <vector>

namespace tutti::ir::family::control {

// The values of a loop's body that its gradient has the loop keep, a step each, in place of
// computing them again: those that the results of the graph need, and that take more than moving
// elements and arithmetic on each (products, reductions, sorting). What the invariants alone
// decide, the parameters from `invariants` on, is the same in all steps and not kept. `places`:
// where the body's values are in the graph, by id. What is kept has the replication and the device
// of the body's parameters.
std::vector<Value> kept_values(const Graph& body, std::size_t invariants, const Graph& graph,
                               std::span<const Value> places);

// The graph with parameters in place of values, which come behind its first so many parameters;
// what nobody needs any more stays, but for the collectives among the first nodes, up to
// `calls_end`, and what is made of them.
Graph with_parameters_for(const Graph& graph, std::span<const Value> values, std::size_t behind,
                          NodeId calls_end);

// Whether a gradient needs values of a function that communicates, beyond its parameters, which it
// can't compute again or had better not (with_kept_results() and keep_results() add them).
bool needs_kept(const Graph& graph, std::size_t invariants, bool recompute);

}  // namespace tutti::ir::family::control
