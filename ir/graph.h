#pragma once

#include <tutti/ir/op.h>
#include <tutti/ir/support/hash.h>
#include <tutti/ir/support/location.h>
#include <tutti/ir/support/stable_vector.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tutti::ir {

// An SSA value of a graph: a dense number, in order of definition.
struct Value {
  std::uint32_t id = 0xFFFFFFFFU;

  bool valid() const { return id != 0xFFFFFFFFU; }
  friend bool operator==(Value, Value) = default;
  friend auto operator<=>(Value, Value) = default;
};

using NodeId = std::uint32_t;
inline constexpr NodeId kNoNode = ~NodeId{0};

// A recorded collective, by a name that holds within its program whatever passes make of it: merged
// collectives stand for all of their calls, split ones for the same, and one that is repeated is a
// call of its own. Never compared between ranks, which agree on a call by its place in the order.
using CallId = std::uint32_t;

// One operation. Operands and results live in pools of the graph; read them through it.
struct Node {
  Op op;
  std::int32_t fusion = -1;  // after the fuse pass: which kernel it belongs to; -1 none
  std::uint32_t first_operand = 0;
  std::uint32_t operand_count = 0;
  std::uint32_t first_result = 0;
  std::uint32_t result_count = 0;
  std::vector<Attribute> attributes;  // in the order of the definition
  Location location;
};

// How the ranks' values make up one whole: for each dimension the names of the mesh dimensions
// whose ranks have its parts, outermost first. Empty: nothing is known, or every rank has the
// whole.
using Sharding = std::vector<std::vector<std::string>>;

// A function's argument.
struct Parameter {
  Value value;
  std::string name;
  bool donate = false;     // the caller gives its storage up
  Sharding sharding = {};  // how callers split the argument over the ranks
};

// Which sizes vary; see symbolic_sizes.h.
struct SymbolicSizes;

// A function: nodes in program order, SSA, no nested regions; what a loop runs is a function of its
// own (function.h). A plain container: Builder infers types, verify() checks the rules.
class Graph {
 public:
  explicit Graph(std::string name = "main") : name(std::move(name)) {}

  std::string name;
  std::shared_ptr<const Mesh> mesh;  // null: one rank or no replication known
  Device default_device;  // where values of device `any` lie if no node needs them elsewhere
  // Null: all sizes are fixed. Else the types and attributes below hold the largest sizes.
  std::shared_ptr<const SymbolicSizes> sizes;

  Value add_parameter(std::string name, const Type& type, bool donate = false, Location at = {});
  // Appends a node as it is; `types` are its results' types. A collective is a call of its own, the
  // next one.
  NodeId append(Op op, std::span<const Value> operands, std::vector<Attribute> attributes,
                std::span<const Type> types, Location at);

  std::size_t node_count() const { return nodes_.size(); }
  std::size_t value_count() const { return values_.size(); }
  const Node& node(NodeId id) const { return nodes_[id]; }
  Attributes attributes(NodeId id) const {
    return {definition(nodes_[id].op).attributes, nodes_[id].attributes};
  }
  // What a collective stands for; empty for other nodes. Valid until another one is appended.
  std::span<const CallId> calls(NodeId id) const;
  // Lets the node that was just appended stand for these calls, if it is a collective and there are
  // any, in place of one of its own. Once for a node.
  void set_calls(std::span<const CallId> calls);
  // Whether ranks meet in any node.
  bool has_calls() const { return !collectives_.empty(); }
  // One more than the last call.
  CallId call_count() const { return call_count_; }
  // New calls are none of those before `count`: a graph that is made of another one has those.
  void reserve_calls(CallId count) { call_count_ = std::max(call_count_, count); }
  // The span is invalid once a node is appended.
  std::span<const Value> operands(NodeId id) const {
    return {operands_.data() + nodes_[id].first_operand, nodes_[id].operand_count};
  }
  Value operand(NodeId id, std::size_t i) const { return operands(id)[i]; }
  Value result(NodeId id, std::size_t i = 0) const {
    return {nodes_[id].first_result + static_cast<std::uint32_t>(i)};
  }
  // The reference stays valid while nodes are appended, as that of node() does, so that rules may
  // hold on to operands' types.
  const Type& type(Value value) const { return values_[value.id].type; }
  // Where a value lies: its type's device, or the default one.
  Device device(Value value) const {
    const Device own = type(value).device;
    return own.is_any() ? default_device : own;
  }
  NodeId producer(Value value) const { return values_[value.id].producer; }
  Op op(Value value) const { return nodes_[producer(value)].op; }

  const std::vector<Parameter>& parameters() const { return parameters_; }
  const std::vector<Value>& results() const { return results_; }
  void set_results(std::vector<Value> results) { results_ = std::move(results); }
  // How callers put result i together.
  const Sharding& result_sharding(std::size_t i) const {
    static const Sharding none;
    return i < result_shardings_.size() ? result_shardings_[i] : none;
  }
  void set_result_sharding(std::size_t i, Sharding sharding) {
    if (result_shardings_.size() <= i) result_shardings_.resize(i + 1);
    result_shardings_[i] = std::move(sharding);
  }
  void set_fusion(NodeId id, std::int32_t fusion) { nodes_[id].fusion = fusion; }
  void set_attribute(NodeId id, std::size_t attribute, Attribute value) {
    nodes_[id].attributes[attribute] = std::move(value);
  }
  // Of a value that could lie anywhere.
  void set_device(Value value, Device device) { values_[value.id].type.device = device; }
  void set_donate(std::size_t parameter, bool donate) { parameters_[parameter].donate = donate; }
  void set_parameter_sharding(std::size_t parameter, Sharding sharding) {
    parameters_[parameter].sharding = std::move(sharding);
  }

 private:
  struct ValueRecord {
    Type type;
    NodeId producer;
  };

  struct Collective {
    NodeId node = 0;
    std::uint32_t first_call = 0;  // in calls_
    std::uint32_t call_count = 0;
  };

  void make_room_for_call();
  void add_call(NodeId id) noexcept;

  StableVector<Node> nodes_;
  std::vector<Value> operands_;
  StableVector<ValueRecord> values_;
  std::vector<Collective> collectives_;  // in the order of their nodes
  std::vector<CallId> calls_;
  CallId call_count_ = 0;
  std::vector<Parameter> parameters_;
  std::vector<Value> results_;
  std::vector<Sharding> result_shardings_;  // of the first results; the rest have none
};

// Gives a graph that stands for another one, with its parameters and results, what callers know of
// how these are split.
void copy_shardings(const Graph& from, Graph& to);

// Where a node is computed: where its operands lie or, if these are none or lie anywhere, where its
// results do. A to_device is on both sides; this is the one that its operand lies on.
Device device_of(const Graph& graph, NodeId node);

// Feeds all that equality of types and deep equality of attributes looks at.
void hash_type(Hasher& hasher, const Type& type);
void hash_attribute(Hasher& hasher, const Attribute& attribute);

// A 128-bit hash of what the graph computes: ops, attributes, types, operands, results, donation;
// not names and lines.
Hash128 structural_hash(const Graph& graph);

// Equal in all that structural_hash covers.
bool structurally_equal(const Graph& a, const Graph& b);

// For every value, how many times nodes and the function's results use it.
std::vector<std::uint32_t> count_uses(const Graph& graph);

}  // namespace tutti::ir
