#pragma once

#include <tutti/ir/graph.h>

namespace tutti::ir {

// Checks the rules of the IR; throws VerifyError with the node's line and the rule that it breaks.
// Linear in the graph. The rules:
// - the mesh has one to eight different dimensions of at least one rank;
// - the parameters are the first nodes, in order, and nothing else is one;
// - operands are defined before their use, by nodes of the graph; so are the results;
// - attributes are those of the op's definition, in number, order and kind;
// - groups are lists of different ranks that their stride divides, inside the mesh;
// - types are the inferred ones: dtype, shape, replication, async;
// - operands agree in replication, or vary over the collective's group, by explicit `vary` nodes;
// - functions that nodes run keep these rules, too, with the same mesh and default device;
// - only waits and views take an async value, and each is waited for by one node at most.
void verify(const Graph& graph);

}  // namespace tutti::ir
