#pragma once

#include <tutti/ir/symbolic_sizes.h>

#include <string>
#include <vector>

namespace tutti::ir {

// Finds the sizes of all values of a graph of which the parameters' and the attributes' sizes are
// known, and checks that the program exists at the bounds: where all symbols are largest, and where
// one of them is smallest; and that the sizes are these in other places, too. Throws NodeTypeError.
// The symbols are in the order of their names from then on.
void complete_sizes(Graph& graph);

// Raises the lower bounds to the smallest sizes for which the program exists, those of the other
// symbols being largest, and says for each that it raised why: "3 <= n: for n = 2: slice: ...".
std::vector<std::string> raise_lower_bounds(Graph& graph);

}  // namespace tutti::ir
