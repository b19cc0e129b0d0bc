#pragma once

#include <tutti/ir/graph.h>
#include <tutti/ir/text/print.h>

#include <string>
#include <vector>

namespace tutti::ir {

// Which values of a program are those of another that was made of it, as by a pass. For every value
// of `after` that of `before`, an invalid one for what is new; no two have the same.
//
// Nodes correspond that compute the same from corresponding values, or else that corresponding
// nodes use in the same place, or that use the same. Functions that nodes run are the same if they
// have the same name, whatever a pass made of them. Takes about linear time.
std::vector<Value> corresponding_values(const Graph& before, const Graph& after);

// What the values of `after` are called if they keep their names in the text of `before`; new ones
// are numbered on from there.
std::vector<std::string> names_from(const Graph& before, const Graph& after);

// The same for the functions that nodes of `after` run: those of nodes that correspond come of each
// other, in their places. Without those that are the same as before.
FunctionValueNames names_inside_from(const Graph& before, const Graph& after);

}  // namespace tutti::ir
