#pragma once

#include <tutti/ir/graph.h>

#include <cstdint>
#include <vector>

namespace tutti::tools::show {

inline constexpr std::int64_t kNoUse = -1;
inline constexpr std::int64_t kReturned = -2;

// What a node's results take and who needs them.
struct NodeUse {
  std::int64_t bytes = 0;          // of all results
  std::int64_t uses = 0;           // of all results, by nodes and by the function's results
  std::int64_t last_use = kNoUse;  // the last node that reads one, or kReturned
  // What is held once the node is done and is needed later, if every node stored its results: what
  // nodes before and this one computed. Arguments do not count, nor do views and waits, which hold
  // on to their operands instead.
  std::int64_t live = 0;
};

struct Usage {
  std::vector<NodeUse> nodes;
  std::int64_t parameter_bytes = 0;
  std::int64_t peak = 0;   // the most that is live
  ir::NodeId peak_at = 0;  // after this node
};

Usage find_usage(const ir::Graph& function);

}  // namespace tutti::tools::show
