#pragma once

#include <tutti/codegen/library.h>

#include <cstdint>
#include <vector>

namespace tutti::codegen {

// The call for an attention, or the gradient of one, that was not decomposed.
LaunchPart attention_call(const ir::Graph& graph, ir::NodeId id, const std::vector<View>& operands);

// Its floating-point operations, counting every key for every query.
std::int64_t attention_flops(const ir::Graph& graph, ir::NodeId id);

}  // namespace tutti::codegen
