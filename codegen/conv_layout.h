#pragma once

#include <tutti/ir/graph.h>

#include <array>
#include <cstdint>
#include <map>

namespace tutti::codegen {

// Convolutions whose results lie as what reads them wants them: where all that uses one is the same
// transpose, which brings its outputs to the end (images that have their channels last), it is
// stored so, and the transpose costs nothing. Their strides; the others are row-major.
using ConvLayouts = std::map<ir::NodeId, std::array<std::int64_t, Shape::kMaxRank>>;
ConvLayouts find_conv_layouts(const ir::Graph& graph);

}  // namespace tutti::codegen
