#pragma once

#include <tutti/codegen/view.h>
#include <tutti/ir/graph.h>

#include <vector>

namespace tutti::codegen {

// Which values of a fused graph need storage: those that something outside of their own kernel
// reads through a view.
class StoredValues {
 public:
  StoredValues(const ir::Graph& graph, const Views& views);

  // By value.
  const std::vector<bool>& stored() const { return stored_; }
  // The last node that reads a base value; the number of nodes where it is the caller.
  ir::NodeId last_reader(ir::Value base) const { return last_reader_[base.id]; }

 private:
  void demand(const View& view, ir::NodeId reader);

  std::vector<bool> stored_;
  std::vector<ir::NodeId> last_reader_;
};

}  // namespace tutti::codegen
