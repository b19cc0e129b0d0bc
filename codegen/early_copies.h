#pragma once

#include <tutti/ir/graph.h>

#include <utility>
#include <vector>

namespace tutti::codegen {

// Which parts (dynamic_slice, takes) kernels had better not read where they lie, but have copied
// when they are made: those of which the whole is updated in place before they are read, and small
// ones of something large that the program computes and would be done with. Takes time about linear
// in the graph.
class EarlyCopies {
 public:
  // `widened`: by node, the casts that show their operand (ir/widened_operands.h).
  EarlyCopies(const ir::Graph& graph, const std::vector<bool>& widened);

  // Whether the result of that dynamic_slice, or take, is one.
  bool hold(ir::NodeId part) const;

 private:
  bool shows_its_operand(ir::NodeId id) const;
  void find_origins();
  void find_readers();
  bool is_updated_before_it_is_read(ir::NodeId part) const;
  bool keeps_much_alive(ir::NodeId part) const;

  const ir::Graph& graph_;
  const std::vector<bool>& widened_;
  std::vector<ir::Value> origins_;           // by value: what it is a view, or a part, of
  std::vector<ir::NodeId> last_reader_;      // by value, with its parts'
  std::vector<ir::NodeId> last_own_reader_;  // by value
  std::vector<std::pair<ir::Value, ir::NodeId>> updates_;  // of an origin, in order
};

}  // namespace tutti::codegen
