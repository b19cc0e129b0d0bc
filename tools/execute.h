#pragma once

#include <tutti/ir/graph.h>

#include <cstdint>
#include <span>
#include <vector>

namespace tutti::tools {

enum class Engine : std::uint8_t { compiled, interpreter };

// A function's results on every rank, [rank][result], from its arguments, [rank][parameter].
std::vector<std::vector<ir::Array>> execute(const ir::Graph& function,
                                            std::span<const std::vector<ir::Array>> inputs,
                                            Engine engine);

}  // namespace tutti::tools
