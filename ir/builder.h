#pragma once

#include <tutti/ir/graph.h>

#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace tutti::ir {

// Appends nodes to a graph with inferred types. Where operands differ in replication it inserts the
// explicit `vary`, once per value and dimensions. A second `wait` of a value gives the first one's
// node, also where that is older than the builder.
class Builder {
 public:
  explicit Builder(Graph& graph) : graph_(graph) {}

  Graph& graph() { return graph_; }
  const Graph& graph() const { return graph_; }
  const Type& type(Value value) const { return graph_.type(value); }

  // The source line that nodes get from now on.
  Builder& at(Location location) {
    location_ = location;
    calls_.clear();
    return *this;
  }
  // The calls that collectives stand for until the next at(); without, each is one of its own.
  void calls(std::span<const CallId> calls) { calls_.assign(calls.begin(), calls.end()); }
  Location location() const { return location_; }

  // Adds a node; throws TypeError naming op, operand types and line. `attributes` are in the order
  // of the definition; missing ones at the end take their defaults.
  NodeId node(Op op, std::span<const Value> operands, std::vector<Attribute> attributes = {});
  NodeId node(Op op, std::initializer_list<Value> operands,
              std::vector<Attribute> attributes = {}) {
    return node(op, std::span(operands.begin(), operands.size()), std::move(attributes));
  }
  // The same for an op with one result.
  Value add(Op op, std::span<const Value> operands, std::vector<Attribute> attributes = {}) {
    return graph_.result(node(op, operands, std::move(attributes)));
  }
  Value add(Op op, std::initializer_list<Value> operands, std::vector<Attribute> attributes = {}) {
    return graph_.result(node(op, operands, std::move(attributes)));
  }

  Value constant(Array array);
  // A rank-0 constant of a dtype.
  Value scalar(DType dtype, double value) { return constant(Array::scalar_of(dtype, value)); }

  // The value, no longer replicated over `dimensions` (itself if it was not).
  Value vary(Value value, std::uint8_t dimensions);
  // A literal as it adapts to values that are replicated like that, so that what is computed from
  // it alone is, too; other values as they are.
  Value adapt(Value value, Replication to);

  // Nodes [begin, end) whose values gradients compute again instead of keeping them.
  struct Checkpoint {
    NodeId begin = 0;
    NodeId end = 0;
  };
  // Adds one, which lies apart from or around those there are, and ends after them.
  void checkpoint(Checkpoint region) {
    if (region.begin < region.end) checkpoints_.push_back(region);
  }
  // In the order of their ends: one that holds others comes after them.
  const std::vector<Checkpoint>& checkpoints() const { return checkpoints_; }

 private:
  Value varied(Value value, std::uint8_t dimensions);
  // The wait of a value that is in the graph already, if there is one.
  std::optional<NodeId> wait_of(Value value);
  // The operands, each varied as the op needs it.
  std::vector<Value> vary_operands(Op op, std::span<const Value> operands,
                                   std::span<const Attribute> attributes);
  void load_types(std::span<const Value> operands);

  Graph& graph_;
  Location location_;
  std::vector<CallId> calls_;
  std::map<std::pair<Value, std::uint8_t>, Value> varied_;
  std::map<Value, NodeId> waits_;  // of the nodes before `waits_end_`
  NodeId waits_end_ = 0;
  std::vector<Checkpoint> checkpoints_;

  // What node() works with, kept for its memory.
  std::vector<Type> operand_types_;
  std::vector<Type> result_types_;
};

// The result types of an op; throws TypeError. What Builder, parser and verifier share. Operands
// must already agree in replication (local ops) or vary over the group (collectives). A result made
// from values of device `any` alone is one itself; a graph may give it a device.
std::vector<Type> infer_types(Op op, std::span<const Type> operands,
                              std::span<const Attribute> attributes, const Mesh* mesh);

// The same, into `results`: for whoever infers many types one after another.
void infer_types(Op op, std::span<const Type> operands, std::span<const Attribute> attributes,
                 const Mesh* mesh, std::vector<Type>& results);

// Whether an attribute of the op says where its results lie (of batch_send_recv: if it sends
// nothing). All others compute where their operands lie.
bool says_own_device(Op op);

// Checks number and kinds of attributes and appends defaults for missing ones at the end.
void complete_attributes(const Definition& definition, std::vector<Attribute>& attributes);

// The dimensions over which an operand must vary before the op may take it.
std::uint8_t dimensions_to_vary(Op op, std::span<const Type> operands, std::size_t operand,
                                std::span<const Attribute> attributes, const Mesh* mesh);

}  // namespace tutti::ir
