#pragma once

#include <tutti/ir/graph.h>

#include <span>
#include <vector>

namespace tutti::ir {

// The reference interpreter: runs a function on every rank at once, each rank its own, and gives
// each rank's results. `inputs[rank]` holds an array per parameter, of its dtype and shape; the
// number of ranks must be the mesh's, or for programs without one at least as many as their groups
// name. Slow, obvious, and the meaning of every op. Throws TypeError for inputs that do not fit,
// and where ranks disagree: members of a group that come to different collectives, and collectives
// that a member never comes to.
std::vector<std::vector<Array>> interpret(std::span<const Graph* const> programs,
                                          std::span<const std::vector<Array>> inputs);

// The same with one program for all ranks.
std::vector<std::vector<Array>> interpret(const Graph& graph,
                                          std::span<const std::vector<Array>> inputs);

// A function that a node runs on one rank: nobody communicates in it.
std::vector<ArrayPtr> interpret_function(const Graph& function, std::span<const ArrayPtr> inputs,
                                         std::int64_t rank);

// The same for a program of one rank.
std::vector<Array> interpret(const Graph& graph, const std::vector<Array>& inputs);

}  // namespace tutti::ir
