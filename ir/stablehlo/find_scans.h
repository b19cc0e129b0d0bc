#pragma once

#include <tutti/ir/graph.h>

namespace tutti::ir::stablehlo {

// Makes scans of the while_loops that JAX writes for them: a counter goes from one constant to
// another, arrays are read by their step's own place and filled the same way. A scan has a
// gradient, and takes and puts its steps without looking for their places. What does not fit stays
// as it is; the functions that nodes run are not looked into. Says whether any loop was changed.
bool find_scans(Graph& graph);

}  // namespace tutti::ir::stablehlo
