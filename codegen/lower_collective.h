#pragma once

#include <tutti/codegen/stand_in_call.h>
#include <tutti/ir/graph.h>
#include <tutti/runtime/comm/algorithms.h>
#include <tutti/runtime/comm/collective.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tutti::codegen {

// A call of the runtime that a collective node becomes; it lacks only the addresses.
struct LoweredCollective {
  runtime::CollectiveCall call = {};
  ir::GroupPtr group;
  ir::GroupPtr parent = nullptr;  // of a message: the group whose ranks these two are
  // That the group names for where the tensors lie, and of messages for the host.
  std::string engine = "shm";
  // Where `call` is not the program's, since the engine does not have that: what there is to do.
  std::optional<StandIn> stand_in = std::nullopt;
  // One of each a part; none where this rank only receives, or only sends.
  std::vector<ir::Value> operands = {};
  std::vector<ir::Value> results = {};
};

// The engine that a group names for values on a device.
std::string engine_of(const ir::Group& group, Device device);

// The calls that carry out a collective node on one rank: one, or one for each message of a
// batch_send_recv, in the order in which they start. Throws TypeError, naming the line, if the rank
// is in no group of the collective or has another part in it than the node says.
std::vector<LoweredCollective> lower_collective(const ir::Graph& graph, ir::NodeId id,
                                                std::int64_t rank,
                                                const runtime::Algorithms& algorithms = {});

}  // namespace tutti::codegen
