#pragma once

#include <tutti/codegen/library.h>
#include <tutti/codegen/target.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace tutti::codegen {

// The call for a convolution that was not decomposed.
LaunchPart conv_call(const ir::Graph& graph, ir::NodeId id, const std::vector<View>& operands,
                     const View& result);

// What makes its parts before, if it has any.
std::optional<Preparation> conv_parts_call(const ir::Graph& graph, ir::NodeId id,
                                           const std::vector<View>& operands, const View& result);

// Its floating-point operations, counting those with the zeros around x.
std::int64_t conv_flops(const ir::Graph& graph, ir::NodeId id);

}  // namespace tutti::codegen
