#pragma once

#include <tutti/ir/graph.h>

#include <cstdint>
#include <vector>

namespace tutti::tools {

// Arguments for a function on a rank, the same for the same seed: small numbers, between -1 and 1
// if they are floating-point. Ranks get the same where a parameter is replicated over the whole
// mesh, and otherwise their own.
std::vector<ir::Array> random_inputs(const ir::Graph& function, std::uint64_t seed,
                                     std::int64_t rank);

}  // namespace tutti::tools
