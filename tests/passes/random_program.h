#pragma once

#include <tutti/ir/graph.h>

#include <cstdint>
#include <vector>

namespace tutti::ir {

// A valid function of about `nodes` nodes that a seed decides: all elementwise ops, reductions and
// views over several dtypes and broadcasting shapes, constants that rules look for (0, -0, 1, NaN),
// composites and, over a mesh of 2 x 2 ranks, collectives with waits now or later.
Graph random_program(std::uint64_t seed, int nodes, bool with_mesh);

// The same of few ops on f32[3,3] and its rows and columns (which one must not take for each
// other): what gives large groups, with matmuls and collectives in between.
Graph fusible_program(std::uint64_t seed, int nodes, bool with_mesh);

// Arguments for either, one list a rank: -0, infinities and NaN among them. Replicated parameters
// get the same on all ranks concerned.
std::vector<std::vector<Array>> random_arguments(const Graph& graph, std::uint64_t seed);

}  // namespace tutti::ir
