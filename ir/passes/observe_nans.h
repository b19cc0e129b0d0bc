#pragma once

#include <tutti/ir/graph.h>

namespace tutti::ir {

// Has every op that makes floating-point numbers, also in functions that other ops run, look at
// what it makes: the first that makes a NaN, or gets one in an argument and passes it on, is an
// error that names it and its line (`observe` with what = "no_nan"). What is computed of literals
// alone is looked at where the whole program is the host's. Before all passes, while ops are those
// of the program; it keeps apart what would be one kernel.
void observe_nans(Graph& graph);

}  // namespace tutti::ir
