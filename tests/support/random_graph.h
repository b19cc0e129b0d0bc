#pragma once

#include <tutti/ir/graph.h>

#include <cstdint>

namespace tutti::test {

// A valid function of about `nodes` nodes on small shapes that a seed decides: elementwise ops,
// reductions, shapes, constants and matmuls, and over a mesh of 2 x 2 ranks collectives as well.
// The same seed gives the same function.
ir::Graph random_graph(std::uint64_t seed, int nodes, bool with_mesh);

}  // namespace tutti::test
