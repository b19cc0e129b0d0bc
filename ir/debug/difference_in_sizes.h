#pragma once

#include <tutti/ir/graph.h>

#include <string>

namespace tutti::ir {

// The first size that varies otherwise, also in what nodes run, in words, of two functions that are
// alike but for names and sizes; empty if there is none. What sizes are called are names.
std::string difference_in_sizes(const Graph& a, const Graph& b);

}  // namespace tutti::ir
