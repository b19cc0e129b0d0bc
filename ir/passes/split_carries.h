#pragma once

#include <tutti/ir/graph.h>

namespace tutti::ir {

// Makes several carries of one that a loop's body takes apart at once and puts together again at
// its end, for the next step to take it apart. Returns whether there was one.
bool split_carries(Graph& graph);

}  // namespace tutti::ir
