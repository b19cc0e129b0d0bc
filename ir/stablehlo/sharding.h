#pragma once

#include <cstdint>
#include <vector>

namespace tutti::ir::stablehlo {

// For each dimension of a tensor the mesh dimensions that it is split over, outermost first.
using AxesOfDimensions = std::vector<std::vector<int>>;

}  // namespace tutti::ir::stablehlo
