#pragma once

#include <tutti/ir/builder.h>

#include <map>
#include <span>
#include <vector>

// What gradients do with a checkpoint's nodes (Builder::checkpoint): they compute them again.
namespace tutti::ir {

// Whether a node of a region waits for what was started before it or comes from another rank, or is
// a view of that. It is not repeated: what is under way is waited for once.
bool is_done_once(const Graph& graph, Builder::Checkpoint region, NodeId id);

struct RepeatedCheckpoint {
  std::map<Value, Value> again;  // what stands for the values of the region, and for its inputs
  std::vector<Value> inputs;     // what was used of other nodes, but for constants
};

// Appends the nodes of a region that `results`, values of it, need. A barrier on every input keeps
// the copy apart from the original, and behind `first`.
RepeatedCheckpoint repeat_checkpoint(Builder& builder, Builder::Checkpoint region,
                                     std::span<const Value> results, Value first);

}  // namespace tutti::ir
