#include <tutti/ir/collective.h>
#include <tutti/ir/derive/repeat_checkpoint.h>

namespace tutti::ir {

namespace {

class CheckpointCopy {
 public:
  CheckpointCopy(Builder& builder, Builder::Checkpoint region, Value first)
      : builder_(builder),
        graph_(builder.graph()),
        region_(region),
        first_(first),
        needed_(region.end - region.begin, false) {}

  RepeatedCheckpoint append(std::span<const Value> results) {
    mark(results);
    const Location here = builder_.location();
    std::vector<NodeId> places(needed_.size() + 1);  // where each node's copy begins
    for (NodeId id = region_.begin; id < region_.end; ++id) {
      places[id - region_.begin] = static_cast<NodeId>(graph_.node_count());
      if (needed_[id - region_.begin]) places[id - region_.begin] = copy(id);
    }
    places.back() = static_cast<NodeId>(graph_.node_count());
    builder_.at(here);
    copy_regions(places);
    return std::move(out_);
  }

 private:
  // What the rank was given or told is not asked for twice; and a number may be one that is told at
  // run time, which a copy of the constant would not be.
  bool repeats(NodeId id) const {
    if (id < region_.begin || id >= region_.end) return false;
    const Op op = graph_.node(id).op;
    return op != Op::parameter && op != Op::constant && !is_point_to_point(op) &&
           !is_done_once(graph_, region_, id);
  }

  void need(Value value) {
    const NodeId producer = graph_.producer(value);
    if (repeats(producer)) needed_[producer - region_.begin] = true;
  }
  void mark(std::span<const Value> results) {
    for (const Value result : results) need(result);
    for (NodeId id = region_.end; id-- > region_.begin;) {
      if (!needed_[id - region_.begin]) continue;
      for (const Value operand : graph_.operands(id)) need(operand);
    }
  }

  // Gives where the copy begins: behind the barriers of its inputs, in front of what node() puts
  // before it (vary).
  NodeId copy(NodeId id) {
    builder_.at(graph_.node(id).location);
    std::vector<Value> operands;
    for (std::uint32_t i = 0; i < graph_.node(id).operand_count; ++i) {
      const Value operand = graph_.operand(id, i);
      const auto found = out_.again.find(operand);
      operands.push_back(found != out_.again.end() ? found->second : input(operand));
    }
    const auto begin = static_cast<NodeId>(graph_.node_count());
    const NodeId made = builder_.node(graph_.node(id).op, operands, graph_.node(id).attributes);
    for (std::uint32_t i = 0; i < graph_.node(id).result_count; ++i) {
      out_.again[graph_.result(id, i)] = graph_.result(made, i);
    }
    return begin;
  }

  Value input(Value value) {
    if (graph_.op(value) == Op::constant) return value;
    std::vector<Value> operands = {value};
    if (graph_.device(value) == graph_.device(first_)) operands.push_back(first_);
    out_.inputs.push_back(value);
    return out_.again[value] = builder_.add(Op::optimization_barrier, operands);
  }

  // The checkpoints inside of the region, for its copy.
  void copy_regions(std::span<const NodeId> places) {
    const auto all = builder_.checkpoints();
    for (const Builder::Checkpoint& inner : all) {
      if (inner.begin < region_.begin || inner.end > region_.end) continue;
      if (inner.begin == region_.begin && inner.end == region_.end) continue;
      builder_.checkpoint({places[inner.begin - region_.begin], places[inner.end - region_.begin]});
    }
  }

  Builder& builder_;
  const Graph& graph_;
  const Builder::Checkpoint region_;
  const Value first_;
  std::vector<bool> needed_;  // by node of the region
  RepeatedCheckpoint out_;
};

}  // namespace

bool is_done_once(const Graph& graph, Builder::Checkpoint region, NodeId id) {
  const auto looks = [&](NodeId node) {
    const Op op = graph.node(node).op;
    return op == Op::wait ||
           (definition(op).kind == OpClass::view && graph.type(graph.result(node)).async);
  };
  NodeId started = id;
  while (started >= region.begin && looks(started)) {
    started = graph.producer(graph.operand(started, 0));
  }
  if (started == id) return false;
  return started < region.begin || is_point_to_point(graph.node(started).op);
}

RepeatedCheckpoint repeat_checkpoint(Builder& builder, Builder::Checkpoint region,
                                     std::span<const Value> results, Value first) {
  return CheckpointCopy(builder, region, first).append(results);
}

}  // namespace tutti::ir
