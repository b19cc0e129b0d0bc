#include <tutti/ir/collective.h>
#include <tutti/ir/derive/gradient.h>
#include <tutti/ir/derive/repeat_checkpoint.h>
#include <tutti/ir/derive/value_use.h>
#include <tutti/ir/term.h>

#include <algorithm>
#include <map>
#include <ranges>

namespace tutti::ir {

namespace {

// One backward sweep over the nodes between `wrt` and the outputs.
class Sweep {
 public:
  Sweep(Builder& builder, std::span<const Value> wrt, const AnsweredMessages& messages = {})
      : builder_(builder),
        graph_(builder.graph()),
        answers_(graph_, messages.nodes),
        gradients_around_(messages.gradients_around),
        begin_(graph_.value_count()) {
    for (const Value value : wrt) {
      begin_ = std::min<std::size_t>(begin_, value.id);
      first_wrt_ = std::min(first_wrt_, graph_.producer(value));
      last_wrt_ = std::max(last_wrt_, graph_.producer(value));
    }
    known_.resize(graph_.value_count() - begin_);
    for (const Value value : wrt) known_[value.id - begin_].depends = true;
  }

  std::vector<Value> run(std::span<const Value> wrt, std::span<const Value> outputs,
                         std::span<const Value> cotangents) {
    NodeId last = 0;
    for (const Value output : outputs) last = std::max(last, graph_.producer(output));
    if (!answers_.empty()) last = std::max(last, answers_.last());
    for (const Builder::Checkpoint& region : builder_.checkpoints()) {
      if (region.begin <= last) last = std::max(last, region.end - 1);
    }
    mark_dependents(last);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (!depends(outputs[i]) || !cotangents[i].valid()) continue;
      accumulate(outputs[i], Term(&builder_, cotangents[i]));
    }
    auto inside = builder_.checkpoints().size();  // those from here on are done with
    // What comes before all of `wrt` does not depend on it; messages are answered all the same.
    const NodeId first = answers_.empty() ? first_wrt_ : std::min(first_wrt_, answers_.first());
    for (NodeId end = last + 1; end > first;) {
      while (inside > 0 && builder_.checkpoints()[inside - 1].end > end) --inside;
      if (inside > 0 && builder_.checkpoints()[inside - 1].end == end) {
        const Builder::Checkpoint region = builder_.checkpoints()[inside - 1];
        if (region.begin > last_wrt_) {
          through_checkpoint(region);
          while (end > region.begin) answer_messages(--end);
          continue;
        }
        --inside;
      } else {
        visit(--end);
        answer_messages(end);
      }
    }
    std::vector<Value> out;
    for (const Value value : wrt) {
      const Term x(&builder_, value);
      const Term cotangent = cotangent_of(value);
      out.push_back((cotangent.valid() ? beside(x, cotangent) : x.apply(Op::zeros_like)).value());
    }
    return out;
  }

 private:
  // Floating-point values on a path from `wrt`; the rest have no derivative. What is received in
  // between may be on a path through another rank.
  void mark_dependents(NodeId last) {
    for (NodeId id = first_wrt_; id <= last; ++id) {
      const Node& node = graph_.node(id);
      const bool received = id > last_wrt_ && is_point_to_point(node.op);
      const auto carrying = carrying_operands(graph_, id);
      if (!received && std::ranges::none_of(carrying, [&](Value v) { return depends(v); })) {
        continue;
      }
      for (std::uint32_t i = 0; i < node.result_count; ++i) {
        const Value result = graph_.result(id, i);
        if (is_floating(graph_.type(result).dtype)) known_[result.id - begin_].depends = true;
      }
    }
  }

  void visit(NodeId id) {
    if (answers_.contains(id)) return;
    const std::uint32_t result_count = graph_.node(id).result_count;
    std::vector<Term> results(result_count);
    bool reached = false;
    for (std::uint32_t i = 0; i < result_count; ++i) {
      results[i] = cotangent_of(graph_.result(id, i));
      reached = reached || results[i].valid() || varying_.contains(graph_.result(id, i));
    }
    std::vector<bool> wants;
    for (const Value operand : graph_.operands(id)) wants.push_back(depends(operand));
    const bool wanted = std::ranges::find(wants, true) != wants.end();
    // A derivative that goes through another rank's program is refused, not lost.
    const bool leaves = is_point_to_point(graph_.node(id).op) && (reached || wanted);
    if (!leaves && !(reached && wanted)) return;

    const Definition& entry = definition(graph_.node(id).op);
    const Location here = builder_.location();
    builder_.at(graph_.node(id).location);
    if (graph_.node(id).op == Op::all_gather) scatter_varying(id);
    if (graph_.node(id).op == Op::vary && leave_varying(id, results[0])) {
      builder_.at(here);
      return;
    }
    if (entry.gradient != nullptr) {
      Gradient rule(&builder_, id, results, wants);
      try {
        entry.gradient(rule);
      } catch (const TypeError& error) {
        if (error.where().known() || !graph_.node(id).location.known()) throw;
        throw TypeError(error.what(), graph_.node(id).location);
      }
      for (std::size_t i = 0; i < wants.size(); ++i) {
        const Term cotangent = rule.operand_cotangents()[i];
        if (wants[i] && cotangent.valid()) accumulate(graph_.operand(id, i), cotangent);
      }
    } else if (entry.decompose != nullptr) {
      through_decomposition(id, results);
    } else {
      throw TypeError(std::string(entry.name) + " has no gradient", graph_.node(id).location);
    }
    builder_.at(here);
  }

  // Those that are due behind the nodes from `id` on.
  void answer_messages(NodeId id) {
    if (answers_.empty()) return;
    const Location here = builder_.location();
    for (const auto& [node, results] : answers_.after(id)) {
      std::vector<Term> cotangents;
      for (const Value result : results) cotangents.push_back(cotangent_of(result));
      builder_.at(graph_.node(node).location);
      const std::vector<Term> given = answer_message(builder_, node, cotangents, gradients_around_);
      for (std::size_t i = 0; i < given.size(); ++i) {
        const Value operand = graph_.operand(node, i);
        if (given[i].valid() && depends(operand)) accumulate(operand, given[i]);
      }
    }
    builder_.at(here);
  }

  // What varies before it is used has a cotangent that differs between ranks, whose sum is that of
  // what all of them know. If they know it from an all_gather, of whose operand each wants its own
  // part of the sum, a reduce_scatter does: half of what an all_reduce moves, and no more memory
  // than the part. Says whether that is so; the cotangent waits at the all_gather's result then.
  bool leave_varying(NodeId id, Term cotangent) {
    const Value varied = graph_.operand(id, 0);
    const NodeId wait = graph_.producer(varied);
    if (graph_.node(wait).op != Op::wait) return false;
    const Value gathered = graph_.operand(wait, 0);
    const NodeId gather = graph_.producer(gathered);
    if (graph_.node(gather).op != Op::all_gather || !depends(gathered)) return false;
    // What a checkpoint gives is looked for at its results, of which the copy is differentiated.
    for (const Builder::Checkpoint& region : builder_.checkpoints()) {
      if (region.begin > last_wrt_ && gather >= region.begin && gather < region.end) return false;
    }
    const Replication before = graph_.type(varied).replication;
    const int over = before.dimensions & ~graph_.type(graph_.result(id)).replication.dimensions;
    const GroupPtr& group = graph_.attributes(gather).group("group");
    if (before.literal || over != dimensions_of(group, *graph_.mesh)) return false;
    Term& total = varying_[gathered];
    total = total.valid() ? total + cotangent : cotangent;
    return true;
  }

  // Gives an all_gather's operands what was left at its results.
  void scatter_varying(NodeId id) {
    for (std::uint32_t i = 0; i < graph_.node(id).result_count; ++i) {
      const auto left = varying_.find(graph_.result(id, i));
      const Value operand = graph_.operand(id, i);
      if (left == varying_.end() || !depends(operand)) continue;
      const Attributes attributes = graph_.attributes(id);
      const std::int64_t axis = attributes.integer("axis");
      const auto& sizes = attributes.integers("sizes");
      const std::int64_t own = graph_.type(operand).shape[static_cast<int>(axis)];
      accumulate(operand, left->second
                              .apply(Op::reduce_scatter,
                                     {std::string("sum"), axis, attributes.group("group"), sizes,
                                      sizes.empty() ? -1 : own})
                              .apply(Op::wait));
    }
  }

  // A composite's operands get the cotangents that its decomposition, recomputed here, gives them.
  // Common subexpressions with the forward pass merge later.
  void through_decomposition(NodeId id, std::span<const Term> results) {
    std::vector<Value> operands;  // fresh names, so that only paths through the composite count
    for (const Value operand :
         std::vector<Value>(graph_.operands(id).begin(), graph_.operands(id).end())) {
      operands.push_back(builder_.add(Op::identity, {operand}));
    }
    Decomposition parts(&builder_, graph_.node(id).op, operands, graph_.node(id).attributes);
    definition(graph_.node(id).op).decompose(parts);
    std::vector<Value> wanted;
    std::vector<Value> targets;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (!depends(graph_.operand(id, i))) continue;
      wanted.push_back(operands[i]);
      targets.push_back(graph_.operand(id, i));
    }
    std::vector<Value> cotangents;
    for (const Term& result : results) {
      cotangents.push_back(result.valid() ? result.value() : Value());
    }
    const std::vector<Value> inner = vjp(builder_, parts.results(), cotangents, wanted);
    for (std::size_t i = 0; i < targets.size(); ++i)
      accumulate(targets[i], Term(&builder_, inner[i]));
  }

  // The nodes of a checkpoint that its reached results need are computed again of what came from
  // outside, and differentiated there.
  void through_checkpoint(Builder::Checkpoint region) {
    std::vector<Value> reached;
    std::vector<NodeId> once;
    for (NodeId id = region.begin; id < region.end; ++id) {
      if (is_point_to_point(graph_.node(id).op)) visit(id);  // to refuse it
      if (is_done_once(graph_, region, id)) {
        once.push_back(id);
        continue;
      }
      for (std::uint32_t i = 0; i < graph_.node(id).result_count; ++i) {
        const Value result = graph_.result(id, i);
        if (cotangent_of(result).valid()) reached.push_back(result);
      }
    }
    if (!reached.empty()) through_copy(region, reached);
    // What was waited for has a cotangent only now, and so has what was received.
    for (const NodeId id : std::views::reverse(once)) visit(id);
    for (NodeId id = region.begin; id < region.end; ++id) {
      if (is_point_to_point(graph_.node(id).op)) visit(id);
    }
  }

  void through_copy(Builder::Checkpoint region, std::span<const Value> reached) {
    const Value first = cotangent_of(reached[0]).value();
    const RepeatedCheckpoint copy = repeat_checkpoint(builder_, region, reached, first);
    std::vector<Value> wanted;
    std::vector<Value> targets;
    for (const Value value : copy.inputs) {
      if (!depends(value)) continue;
      wanted.push_back(copy.again.at(value));
      targets.push_back(value);
    }
    std::vector<Value> outputs;
    std::vector<Value> cotangents;
    for (const Value value : reached) {
      outputs.push_back(copy.again.at(value));
      cotangents.push_back(cotangent_of(value).value());
    }
    const std::vector<Value> inner = vjp(builder_, outputs, cotangents, wanted);
    for (std::size_t i = 0; i < targets.size(); ++i)
      accumulate(targets[i], Term(&builder_, inner[i]));
  }

  void accumulate(Value value, Term cotangent) {
    if (cotangent.shape() != graph_.type(value).shape ||
        cotangent.dtype() != graph_.type(value).dtype) {
      throw InternalError("a cotangent of type " + cotangent.type().text() +
                          " for a value of type " + graph_.type(value).text());
    }
    // What varies has a cotangent that does, or a number of this rank's that multiplies it next
    // would be taken as the same on all ranks.
    const Replication known = graph_.type(value).replication;
    const Replication own = cotangent.type().replication;
    if (!known.literal && !own.literal) {
      const auto extra = static_cast<std::uint8_t>(own.dimensions & ~known.dimensions);
      if (extra != 0) cotangent = {&builder_, builder_.vary(cotangent.value(), extra)};
      if ((known.dimensions & ~own.dimensions) != 0) {
        throw InternalError("a cotangent that varies for a value that is the same on the ranks");
      }
    }
    Term& total = known_[value.id - begin_].cotangent;
    // What lies anywhere may have been used on several devices.
    const Device device = graph_.type(value).device.is_any() && total.valid()
                              ? total.type().device
                              : graph_.type(value).device;
    if (!device.is_any() && !cotangent.type().device.is_any()) {
      cotangent = to_device(cotangent, device);
    }
    total = total.valid() ? total + cotangent : cotangent;
  }

  // A value's cotangent, on the value's device.
  Term beside(Term x, Term cotangent) const {
    const Device device = graph_.device(x.value());
    return graph_.device(cotangent.value()) == device ? cotangent : to_device(cotangent, device);
  }

  // Values before the first of `wrt`, and those the sweep has added, do not depend on it.
  bool inside(Value value) const { return value.id - begin_ < known_.size(); }
  bool depends(Value value) const { return inside(value) && known_[value.id - begin_].depends; }
  // Invalid if nothing depends on the value.
  Term cotangent_of(Value value) const {
    return inside(value) ? known_[value.id - begin_].cotangent : Term();
  }

  struct Known {
    bool depends = false;
    Term cotangent;
  };

  Builder& builder_;
  Graph& graph_;
  MessageAnswers answers_;
  const std::int64_t gradients_around_;
  std::size_t begin_;  // the id of the first value of known_
  std::vector<Known> known_;
  std::map<Value, Term> varying_;  // by all_gather's result, see leave_varying()
  NodeId first_wrt_ = kNoNode;
  NodeId last_wrt_ = 0;
};

}  // namespace

std::span<const Value> carrying_operands(const Graph& graph, NodeId id) {
  switch (graph.node(id).op) {
    case Op::stop_gradient:
    case Op::sign:
    case Op::floor:
    case Op::ceil:
    case Op::round:
      return {};
    default:
      return computed_of(graph, id);
  }
}

std::vector<Value> gradient(Builder& builder, Value output, std::span<const Value> wrt,
                            const AnsweredMessages& messages) {
  const Type& type = builder.type(output);
  if (type.shape.rank() != 0 || !is_floating(type.dtype) || type.async) {
    throw TypeError("the gradient is taken of a floating-point scalar, not of " + type.text(),
                    builder.location());
  }
  for (const Value value : wrt) {
    if (!is_floating(builder.type(value).dtype)) {
      throw TypeError("no gradient with respect to " + builder.type(value).text() +
                          ": it is not floating-point",
                      builder.location());
    }
  }
  const Value seed = Term(&builder, output).apply(Op::ones_like).value();
  return Sweep(builder, wrt, messages).run(wrt, std::span(&output, 1), std::span(&seed, 1));
}

std::vector<Value> vjp(Builder& builder, std::span<const Value> outputs,
                       std::span<const Value> cotangents, std::span<const Value> wrt) {
  return Sweep(builder, wrt).run(wrt, outputs, cotangents);
}

}  // namespace tutti::ir
