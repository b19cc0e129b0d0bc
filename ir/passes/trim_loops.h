#pragma once

#include <tutti/ir/function.h>

#include <cstddef>
#include <functional>
#include <vector>

namespace tutti::ir {

// Drops what nobody needs of what the loops and branches of a graph take and give: results of
// theirs that nobody uses, and operands that only these come of. What is inside of their functions
// is not looked at. Says whether it dropped anything.
//
// With `stays` some are kept that nobody needs: it is asked about the parameters of a loop's body
// and of a node's first branch.
using StaysParameter = std::function<bool(const Function& function, std::size_t parameter)>;
bool trim_loops(Graph& graph, const StaysParameter& stays = {});

// Marks the parameters that some of a function's results depend on; says whether any is new.
bool mark_parameters(const Graph& graph, const std::vector<bool>& results,
                     std::vector<bool>& parameters);

// The function with some of its results and parameters; the results need no others.
FunctionPtr restricted(const Graph& function, const std::vector<bool>& results,
                       const std::vector<bool>& parameters);

}  // namespace tutti::ir
