#pragma once

#include <tutti/codegen/target.h>

#include <optional>
#include <vector>

namespace tutti::codegen {

// Host kernels that go along an axis. Where there are few rows, and long ones, a call before theirs
// divides each of them between threads (kernels/host/sort.h, kernels/host/cumulative.h); what it
// writes is the second of their buffers then.

// Of sort and topk.
LaunchPart sort_call(const ir::Graph& graph, ir::NodeId id, const std::vector<View>& operands);
// Of cumsum and its kin.
LaunchPart cumulative_call(const ir::Graph& graph, ir::NodeId id,
                           const std::vector<View>& operands);
// The call before one of these; none where each row is one thread's, and of other nodes.
std::optional<Preparation> dividing_call(const ir::Graph& graph, ir::NodeId id,
                                         const std::vector<View>& operands);

}  // namespace tutti::codegen
