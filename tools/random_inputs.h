#pragma once

#include <tutti/ir/graph.h>

#include <cstdint>
#include <string>
#include <vector>

namespace tutti::tools {

// The function for sizes that are given as n=7, where its sizes vary: the largest ones for the
// others. Throws UsageError for a size that it does not have or that is out of its bounds.
ir::Graph with_sizes(const ir::Graph& function, const std::vector<std::string>& sizes);

// An array for each parameter of a function, as a rank gets them: normally distributed floats,
// both bools, and integers from 0 on, below 8 and below each size of the arrays that they may be
// indices of. They follow from the seed alone. What is replicated along dimensions of the mesh is
// the same on ranks that differ in these only.
std::vector<ir::Array> random_inputs(const ir::Graph& function, std::uint64_t seed,
                                     std::int64_t rank);

}  // namespace tutti::tools
