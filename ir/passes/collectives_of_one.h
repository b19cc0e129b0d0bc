#pragma once

#include <tutti/ir/graph.h>

namespace tutti::ir {

// Drops collectives over groups of one rank, which give that rank its own tensors back (all but
// messages, and results that the function returns before their wait), so that a program of one rank
// that was written for many is one of local nodes. Barriers among them keep nobody from anything.
// Part of canonicalize. In a mesh of more ranks only where the result's type is the operand's; a
// mesh of one rank says nothing and goes. Returns whether there were any.
bool drop_collectives_of_one(Graph& graph);

}  // namespace tutti::ir
