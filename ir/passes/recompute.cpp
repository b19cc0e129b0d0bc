#include <tutti/ir/passes/fuse.h>
#include <tutti/ir/passes/recompute.h>
#include <tutti/ir/rewrite.h>

#include <algorithm>
#include <map>
#include <set>

// Groups are visited in program order, and in each the values that other groups read. Such a value
// has a cone: the elementwise nodes of its own shape that it comes from inside the group. What the
// cone reads are its leaves. If every reader can take the cone in, and the leaves that the readers
// do not read already cost fewer bytes than the value's write and reads, the cone is repeated.
namespace tutti::ir {

namespace {

// Additions (work_of) that an element may cost again.
constexpr int kMostWork = 64;
constexpr int kTranscendentalWork = 8;

class Recomputation {
 public:
  explicit Recomputation(const Graph& graph)
      : graph_(graph),
        count_(static_cast<NodeId>(graph.node_count())),
        sources_(look_through_aliases(graph)),
        groups_(fusion_groups(graph)),
        readers_(count_),
        stored_(count_, false),
        repeated_(groups_.size()),
        inputs_(groups_.size()),
        outputs_(groups_.size(), 0) {
    find_readers();
  }

  bool choose() {
    bool any = false;
    for (const auto& group : groups_) {
      for (const NodeId member : group.members) any = choose(member) || any;
    }
    return any;
  }

  Graph rebuilt() const {
    const std::vector<bool> needed = needed_nodes();
    Rewriter rewriter(graph_);
    std::vector<std::int32_t> fusion;  // [new node]
    std::vector<std::int32_t> numbers(groups_.size(), -1);
    std::int32_t next = 0;
    const auto number = [&](std::size_t group) {
      if (numbers[group] < 0) numbers[group] = next++;
      return numbers[group];
    };
    std::map<NodeId, Value> copies;  // of the group being built: old node -> new value
    std::size_t current = groups_.size();
    // A node again, of its old type: a value of numbers alone may have been given a device.
    const auto repeat = [&](NodeId id, std::span<const Value> operands) {
      const Node& node = graph_.node(id);
      const Type& type = graph_.type(graph_.result(id));
      Graph& to = rewriter.builder().graph();
      return to.result(
          to.append(node.op, operands, node.attributes, std::span(&type, 1), node.location));
    };
    // The value that stands for an operand in the current group.
    const auto operand_of = [&](Value operand) {
      const auto copy = copies.find(graph_.producer(sources_[operand.id]));
      if (copy == copies.end()) return rewriter.map(operand);
      std::vector<NodeId> aliases;
      for (; sources_[operand.id] != operand;
           operand = graph_.operand(graph_.producer(operand), 0)) {
        aliases.push_back(graph_.producer(operand));
      }
      Value value = copy->second;
      for (; !aliases.empty(); aliases.pop_back()) {
        value = repeat(aliases.back(), std::span(&value, 1));
      }
      return value;
    };
    const auto append = [&](NodeId id, std::size_t group) {
      std::vector<Value> operands;
      for (const Value operand : graph_.operands(id)) operands.push_back(operand_of(operand));
      const Value value = repeat(id, operands);
      fusion.resize(rewriter.to().node_count(), -1);
      fusion.back() = number(group);
      return value;
    };
    for (NodeId id = 0; id < count_; ++id) {
      if (!needed[id]) continue;
      const std::int32_t group = graph_.node(id).fusion;
      if (group < 0) {
        rewriter.copy(id);
        continue;
      }
      const auto at = static_cast<std::size_t>(group);
      if (at != current) {
        current = at;
        copies.clear();
        for (const NodeId copy : repeated_[at]) copies[copy] = append(copy, at);
      }
      rewriter.replace(id, append(id, at));
    }
    Graph out = rewriter.finish();
    fusion.resize(out.node_count(), -1);
    for (NodeId id = 0; id < out.node_count(); ++id) out.set_fusion(id, fusion[id]);
    return out;
  }

 private:
  static constexpr NodeId kCaller = ~NodeId{0};

  NodeId source(Value value) const { return graph_.producer(sources_[value.id]); }
  const Shape& shape(NodeId id) const { return graph_.type(graph_.result(id)).shape; }
  OpClass kind(NodeId id) const { return definition(graph_.node(id).op).kind; }
  std::int32_t group_of(NodeId id) const { return graph_.node(id).fusion; }

  void find_readers() {
    for (NodeId id = 0; id < count_; ++id) {
      if (is_alias(graph_.node(id).op)) continue;
      for (const Value operand : graph_.operands(id)) {
        readers_[source(operand)].push_back(id);
        const std::int32_t group = group_of(id);
        if (group >= 0 && group_of(source(operand)) != group) {
          inputs_[static_cast<std::size_t>(group)].insert(sources_[operand.id]);
        }
      }
    }
    for (const Value result : graph_.results()) readers_[source(result)].push_back(kCaller);
    for (NodeId id = 0; id < count_; ++id) {
      if (group_of(id) < 0) continue;
      stored_[id] = std::ranges::any_of(readers_[id], [&](NodeId reader) {
        return reader == kCaller || group_of(reader) != group_of(id);
      });
      if (stored_[id]) ++outputs_[static_cast<std::size_t>(group_of(id))];
    }
  }

  // What a kernel moves to read a value: numbers are part of the code, and a view of a few elements
  // reads only those.
  std::int64_t bytes_of(Value value) const {
    std::int64_t bytes = graph_.type(value).bytes();
    while (true) {
      const NodeId producer = graph_.producer(value);
      const Op op = graph_.node(producer).op;
      if (op == Op::iota) return 0;
      if (op == Op::constant) return graph_.type(value).shape.elements() == 1 ? 0 : bytes;
      if (kind(producer) != OpClass::view || group_of(producer) >= 0) return bytes;
      value = graph_.operand(producer, 0);
      bytes = std::min(bytes, graph_.type(value).bytes());
    }
  }
  bool comes_from_wait(Value value) const {
    while (kind(graph_.producer(value)) == OpClass::view) {
      value = graph_.operand(graph_.producer(value), 0);
    }
    return graph_.op(value) == Op::wait;
  }

  // The groups that read a value; empty if something else does, or if one cannot repeat the node.
  std::set<std::size_t> reading_groups(NodeId id) const {
    std::set<std::size_t> out;
    for (const NodeId reader : readers_[id]) {
      if (reader == kCaller || group_of(reader) < 0) return {};
      if (group_of(reader) == group_of(id)) continue;
      const auto group = static_cast<std::size_t>(group_of(reader));
      if (kind(reader) == OpClass::view) return {};
      if (out.insert(group).second && !may_repeat(group, id)) return {};
    }
    return out;
  }

  // Whether nodes like this one may join the group as full ones.
  bool may_repeat(std::size_t group, NodeId node) const {
    const FusionFrame frame = frame_of(graph_, groups_[group]);
    const Shape& full = shape(node);
    if (frame.shape != full || frame.device != graph_.device(graph_.result(node))) return false;
    const auto reduces = [&](NodeId member) { return kind(member) == OpClass::reduce; };
    if (std::ranges::none_of(groups_[group].members, reduces)) return true;
    // Reductions over dimensions of size 1 stay alone.
    for (int d = 0; d < full.rank(); ++d) {
      if ((frame.axes >> d & 1) != 0 && full[d] != 1) return true;
    }
    return false;
  }

  struct Cone {
    std::vector<NodeId> nodes;
    std::vector<Value> leaves;  // sources
    int work = 0;
    bool waits = false;
  };
  Cone cone_of(NodeId id) const {
    const auto group = static_cast<std::size_t>(group_of(id));
    const auto repeatable = [&](NodeId node) {
      const bool inside = group_of(node) == group_of(id) && !stored_[node];
      return (inside || repeated_[group].contains(node)) && kind(node) == OpClass::elementwise &&
             shape(node) == shape(id);
    };
    Cone cone;
    std::set<NodeId> seen = {id};
    cone.nodes = {id};
    for (std::size_t i = 0; i < cone.nodes.size(); ++i) {
      cone.work += work_of(graph_.node(cone.nodes[i]).op);
      if (cone.work > kMostWork) break;
      for (const Value operand : graph_.operands(cone.nodes[i])) {
        const NodeId from = source(operand);
        if (!seen.insert(from).second) continue;
        if (repeatable(from)) {
          cone.nodes.push_back(from);
        } else {
          cone.leaves.push_back(sources_[operand.id]);
          cone.waits = cone.waits || comes_from_wait(operand);
        }
      }
    }
    return cone;
  }

  bool choose(NodeId id) {
    if (!stored_[id] || kind(id) != OpClass::elementwise) return false;
    const std::set<std::size_t> readers = reading_groups(id);
    if (readers.empty()) return false;
    const Cone cone = cone_of(id);
    if (cone.work > kMostWork || cone.waits) return false;

    const Value value = graph_.result(id);
    const std::int64_t saved =
        graph_.type(value).bytes() * (1 + static_cast<std::int64_t>(readers.size()));
    std::int64_t spent = 0;
    std::size_t outputs = outputs_[static_cast<std::size_t>(group_of(id))] - 1;
    for (const Value leaf : cone.leaves) {
      const NodeId from = graph_.producer(leaf);
      if (group_of(from) < 0) continue;
      if (kind(from) == OpClass::view) return false;  // a member only while a member reads it
      if (stored_[from]) continue;
      if (group_of(from) != group_of(id)) return false;  // its group is decided on
      spent += bytes_of(leaf);
      ++outputs;
    }
    if (outputs > kMaxFusionOutputs) return false;
    for (const std::size_t reader : readers) {
      std::size_t inputs = inputs_[reader].size() - 1;
      for (const Value leaf : cone.leaves) {
        if (inputs_[reader].contains(leaf)) continue;
        spent += bytes_of(leaf);
        if (bytes_of(leaf) > 0) ++inputs;
      }
      if (inputs > kMaxFusionInputs) return false;
      if (groups_[reader].members.size() + repeated_[reader].size() + cone.nodes.size() >
          kMaxFusionMembers) {
        return false;
      }
    }
    if (spent >= saved) return false;

    stored_[id] = false;
    for (const Value leaf : cone.leaves) {
      const NodeId from = graph_.producer(leaf);
      if (group_of(from) == group_of(id)) stored_[from] = true;
    }
    outputs_[static_cast<std::size_t>(group_of(id))] = outputs;
    for (const std::size_t reader : readers) {
      repeated_[reader].insert(cone.nodes.begin(), cone.nodes.end());
      inputs_[reader].erase(value);
      inputs_[reader].insert(cone.leaves.begin(), cone.leaves.end());
    }
    return true;
  }

  // Nodes that something still reads; what only fed repeated values goes.
  std::vector<bool> needed_nodes() const {
    const std::vector<std::uint32_t> uses = count_uses(graph_);
    std::vector<bool> needed(count_, false);
    std::vector<bool> done(groups_.size(), false);  // [group]
    for (const Value value : graph_.results()) needed[graph_.producer(value)] = true;
    for (NodeId id = count_; id-- > 0;) {
      const bool fused = group_of(id) >= 0;
      // What nobody read before stays, too.
      if ((!fused && !is_alias(graph_.node(id).op)) || uses[graph_.result(id).id] == 0) {
        needed[id] = true;
      }
      if (!needed[id]) continue;
      const auto need = [&](NodeId node) {
        for (const Value operand : graph_.operands(node)) {
          const bool repeated =
              fused && repeated_[static_cast<std::size_t>(group_of(id))].contains(source(operand));
          if (!repeated) needed[graph_.producer(operand)] = true;
        }
      };
      need(id);
      if (!fused) continue;
      const auto group = static_cast<std::size_t>(group_of(id));
      if (done[group]) continue;
      done[group] = true;
      for (const NodeId copy : repeated_[group]) need(copy);
    }
    return needed;
  }

  const Graph& graph_;
  const NodeId count_;
  const std::vector<Value> sources_;
  const std::vector<FusionGroup> groups_;
  std::vector<std::vector<NodeId>> readers_;  // [node], looking through aliases
  std::vector<bool> stored_;                  // [node], a group writes it for others
  std::vector<std::set<NodeId>> repeated_;    // [group], nodes of others computed there again
  std::vector<std::set<Value>> inputs_;       // [group], values that it reads, sources
  std::vector<std::size_t> outputs_;          // [group], how many members are stored
};

}  // namespace

int work_of(Op op) {
  const std::optional<ScalarExpression>& meaning = definition(op).meaning;
  if (!meaning) return 1;
  int work = 0;
  for (const ScalarNode& node : meaning->nodes) {
    if (node.op == ScalarOp::argument || node.op == ScalarOp::constant) continue;
    const bool is_long = is_transcendental(node.op) || node.op == ScalarOp::mod;
    work += is_long ? kTranscendentalWork : 1;
  }
  return work;
}

bool recompute_cheap_values(Graph& graph) {
  Recomputation recomputation(graph);
  if (!recomputation.choose()) return false;
  graph = recomputation.rebuilt();
  return true;
}

}  // namespace tutti::ir
