#pragma once

#include <tutti/ir/graph.h>
#include <tutti/ir/passes/parts.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tutti::ir {

// Which values of a graph are put together of parts, and which nodes are to be computed part by
// part (split_parts).
class PartsChoice {
 public:
  explicit PartsChoice(const Graph& graph);

  // Whether any node is.
  bool empty() const;
  // Of a result that has a split, its parts; of a slice or a reduction, the result of its operand's
  // parts.
  bool by_parts(NodeId id) const { return by_parts_[id]; }
  // Nothing: the value is no such one.
  const std::optional<Split>& split(Value value) const { return splits_[value.id]; }
  // Whether somebody needs all of a value.
  bool is_needed_whole(Value value) const { return whole_[value.id]; }
  // Whether the value is a concat or a pad with a split.
  bool is_put_together(Value value) const;

  // The split of an elementwise node's result as its operand has to have it; nothing if the operand
  // repeats itself along that axis.
  std::optional<Split> split_of_operand(NodeId id, Value operand) const;
  // Where in a pad's operand the part of its result lies, if it does.
  std::optional<std::int64_t> place_in_pad(NodeId id, std::size_t part) const;

 private:
  // What a part's type may have other than the whole: what is made of numbers alone is no slice of
  // what is not.
  struct Origin {
    bool literal = false;
    Device device;

    friend bool operator==(const Origin&, const Origin&) = default;
  };
  static Origin origin_of(const Type& type) { return {type.replication.literal, type.device}; }

  const Shape& shape(Value value) const { return graph_.type(value).shape; }
  OpClass kind(NodeId id) const { return definition(graph_.node(id).op).kind; }
  bool has_split(Value value) const { return splits_[value.id].has_value(); }

  void find_splits();
  std::optional<Split> split_of_elementwise(NodeId id) const;
  std::vector<Origin> find_origins(NodeId id) const;
  bool joins(NodeId id) const;
  void find_takers();
  bool takes_parts(NodeId id, std::size_t i) const;
  bool combines_parts(NodeId id, const Split& split) const;
  void decide(NodeId id);
  bool goes_by_parts(NodeId id) const;
  bool is_worth_it(NodeId id) const;
  void leave_out_what_has_no_parts();

  const Graph& graph_;
  std::vector<std::optional<Split>> splits_;  // by value
  std::vector<std::vector<Origin>> origins_;  // by value, of each of its parts
  std::vector<bool> joins_;                   // by value: see joins()
  std::vector<bool> all_take_parts_;          // by value: all that use it could do with its parts
  std::vector<bool> whole_;                   // by value: somebody needs all of it
  std::vector<bool> by_parts_;                // by node
};

// What combines two parts in place of a reduction over the axis along which they are thin; nothing
// where that would not be as good.
std::optional<Op> combination_of_parts(Op reduction, DType dtype);

}  // namespace tutti::ir
