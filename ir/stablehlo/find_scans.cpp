#include <tutti/ir/function.h>
#include <tutti/ir/rewrite.h>
#include <tutti/ir/stablehlo/find_scans.h>
#include <tutti/ir/stablehlo/monoid.h>
#include <tutti/ir/stablehlo/steps.h>

#include <algorithm>
#include <optional>
#include <set>

namespace tutti::ir::stablehlo {

namespace {

// A while_loop on its way to a scan.
class Loop {
 public:
  Loop(const Graph& graph, NodeId loop)
      : graph_(graph),
        id_(loop),
        condition_(graph.attributes(loop).function("condition").graph()),
        body_(graph.attributes(loop).function("body").graph()),
        carries_(static_cast<std::size_t>(graph.attributes(loop).integer("carries"))),
        uses_(count_uses(body_)),
        last_user_(body_.value_count()) {
    for (NodeId id = 0; id < body_.node_count(); ++id) {
      for (const Value operand : body_.operands(id)) last_user_[operand.id] = id;
    }
  }

  // Whether it is one.
  bool understand() {
    if (!count_steps()) return false;
    const Lines lines(body_, carried_lines(), length_);
    find_steps(lines);
    return true;
  }

  // The scan, and what stands for the loop's results.
  std::vector<Value> append(Rewriter& rewriter) const {
    std::vector<Value> operands;
    const auto add = [&](const std::vector<std::size_t>& list) {
      for (const std::size_t i : list) operands.push_back(rewriter.map(graph_.operand(id_, i)));
    };
    const Parts parts = this->parts();
    add(parts.carries);
    add(parts.sequences);
    add(parts.invariants);
    const NodeId made = rewriter.builder().node(
        Op::scan, operands,
        {std::make_shared<const Function>(new_body(parts)), std::ssize(parts.carries),
         std::ssize(parts.sequences), length_, reverse_});
    std::vector<Value> results(carries_);
    std::size_t next = 0;
    for (const std::size_t i : parts.carries) results[i] = rewriter.to().result(made, next++);
    for (const std::size_t i : parts.stacks) results[i] = rewriter.to().result(made, next++);
    return results;
  }

 private:
  // Which operands of the loop become what.
  struct Parts {
    std::vector<std::size_t> carries;
    std::vector<std::size_t> stacks;
    std::vector<std::size_t> sequences;
    std::vector<std::size_t> invariants;
  };

  std::optional<std::int64_t> initial(std::size_t carry) const {
    const Array* const array = constant_of(graph_, graph_.operand(id_, carry));
    if (array == nullptr || array->elements() != 1) return std::nullopt;
    return integer_at(*array, 0);
  }

  // What the body adds to a carry.
  std::optional<std::int64_t> increment(std::size_t carry) const {
    const Value next = body_.results()[carry];
    const NodeId producer = body_.producer(next);
    if (body_.node(producer).op != Op::add) return std::nullopt;
    for (const std::size_t i : {0U, 1U}) {
      if (body_.operand(producer, i) != body_.parameters()[carry].value) continue;
      const Array* const by = constant_of(body_, body_.operand(producer, 1 - i));
      if (by != nullptr && by->elements() == 1) return integer_at(*by, 0);
    }
    return std::nullopt;
  }

  // The condition is counter < bound, and nothing else.
  bool count_steps() {
    const NodeId compare = condition_.producer(condition_.results()[0]);
    const Op op = condition_.node(compare).op;
    if (op != Op::lt && op != Op::gt) return false;
    const Value counter = condition_.operand(compare, op == Op::lt ? 0 : 1);
    const Value bound = condition_.operand(compare, op == Op::lt ? 1 : 0);
    const Array* const last = constant_of(condition_, bound);
    const auto parameter = std::ranges::find(condition_.parameters(), counter, &Parameter::value);
    const auto place = static_cast<std::size_t>(parameter - condition_.parameters().begin());
    if (last == nullptr || place >= carries_) return false;
    const std::optional<std::int64_t> from = initial(place);
    const std::optional<std::int64_t> by = increment(place);
    const std::optional<std::int64_t> to = integer_at(*last, 0);
    if (!from || !by || !to) return false;
    length_ = steps_of(*from, *to, *by, condition_.type(counter).dtype).value_or(0);
    return length_ > 0;
  }

  // What is known of the parameters: those that count.
  std::vector<std::optional<Line>> carried_lines() const {
    std::vector<std::optional<Line>> out(body_.parameters().size());
    for (std::size_t i = 0; i < carries_; ++i) {
      const std::optional<std::int64_t> from = initial(i);
      const std::optional<std::int64_t> by = increment(i);
      if (from && by && body_.type(body_.parameters()[i].value).shape.rank() == 0) {
        out[i] = Line{.slope = *by, .start = *from};
      }
    }
    return out;
  }

  // Whether a slice is one step: a single place along the first axis, all of the others.
  bool is_step(const Shape& step, const Shape& whole) const {
    if (whole.rank() == 0 || whole[0] != length_ || step[0] != 1) return false;
    for (int d = 1; d < whole.rank(); ++d) {
      if (step[d] != whole[d]) return false;
    }
    return true;
  }

  // Sequences and stacks, in the direction that most of them have.
  void find_steps(const Lines& lines) {
    const Line forward{.slope = 1, .start = 0};
    const Line backward{.slope = -1, .start = length_ - 1};
    std::map<std::size_t, NodeId> stacks[2];                  // by carry: the node that fills it
    std::map<std::size_t, std::vector<NodeId>> sequences[2];  // by operand: the slices
    const auto direction = [&](Value starts) -> std::optional<std::size_t> {
      const std::optional<Line> line = lines.of_first(starts);
      if (line == forward) return 0;
      return line == backward ? std::optional<std::size_t>(1) : std::nullopt;
    };
    for (std::size_t i = 0; i < carries_; ++i) {
      const Value parameter = body_.parameters()[i].value;
      if (uses_[parameter.id] != 1 || body_.results()[i] == parameter) continue;
      const NodeId user = last_user_[parameter.id];
      if (body_.node(user).op != Op::dynamic_update_slice || body_.operand(user, 0) != parameter ||
          body_.results()[i] != body_.result(user) || uses_[body_.result(user).id] != 1 ||
          !is_step(body_.type(body_.operand(user, 1)).shape, body_.type(parameter).shape)) {
        continue;
      }
      if (const auto way = direction(body_.operand(user, 2))) stacks[*way][i] = user;
    }
    std::map<Value, std::size_t> invariants;
    for (std::size_t i = carries_; i < body_.parameters().size(); ++i) {
      invariants[body_.parameters()[i].value] = i;
    }
    std::map<std::size_t, std::uint32_t> stepped;
    for (NodeId id = 0; id < body_.node_count(); ++id) {
      if (body_.node(id).op != Op::dynamic_slice) continue;
      const auto found = invariants.find(body_.operand(id, 0));
      if (found == invariants.end() ||
          !is_step(body_.type(body_.result(id)).shape, body_.type(found->first).shape)) {
        continue;
      }
      if (const auto way = direction(body_.operand(id, 1))) {
        sequences[*way][found->second].push_back(id);
      }
    }
    for (auto& own : sequences) {
      std::erase_if(own, [&](const auto& entry) {
        return uses_[body_.parameters()[entry.first].value.id] != entry.second.size();
      });
    }
    const std::size_t way =
        stacks[1].size() + sequences[1].size() > stacks[0].size() + sequences[0].size() ? 1 : 0;
    reverse_ = way == 1;
    stacks_ = std::move(stacks[way]);
    for (const auto& [operand, slices] : sequences[way]) {
      sequences_.insert(operand);
      slices_.insert(slices.begin(), slices.end());
    }
  }

  Parts parts() const {
    Parts out;
    for (std::size_t i = 0; i < body_.parameters().size(); ++i) {
      if (i < carries_) {
        (stacks_.contains(i) ? out.stacks : out.carries).push_back(i);
      } else {
        (sequences_.contains(i) ? out.sequences : out.invariants).push_back(i);
      }
    }
    return out;
  }

  Graph new_body(const Parts& parts) const {
    Graph out(body_.name);
    out.mesh = body_.mesh;
    out.default_device = body_.default_device;
    Builder builder(out);
    std::vector<Value> now(body_.value_count());
    const auto add = [&](const std::vector<std::size_t>& list, bool stepped) {
      for (const std::size_t i : list) {
        const Parameter& parameter = body_.parameters()[i];
        Type type = body_.type(parameter.value);
        if (stepped) type.shape = without_first(type.shape);
        now[parameter.value.id] = out.add_parameter(parameter.name, type);
      }
    };
    add(parts.carries, false);
    add(parts.sequences, true);
    add(parts.invariants, false);
    std::set<NodeId> dropped;
    for (const auto& [carry, node] : stacks_) dropped.insert(node);
    const auto reshaped = [&](Value value, const Shape& shape) {
      return builder.add(Op::reshape, {value}, {std::vector(shape.begin(), shape.end())});
    };
    for (NodeId id = 0; id < body_.node_count(); ++id) {
      const Node& node = body_.node(id);
      builder.at(node.location);
      if (node.op == Op::parameter || dropped.contains(id)) continue;
      if (slices_.contains(id)) {
        const Value step = now[body_.operand(id, 0).id];
        now[body_.result(id).id] = reshaped(step, body_.type(body_.result(id)).shape);
        continue;
      }
      std::vector<Value> operands;
      for (const Value operand : body_.operands(id)) operands.push_back(now[operand.id]);
      std::vector<Type> types;
      for (std::uint32_t i = 0; i < node.result_count; ++i) {
        types.push_back(body_.type(body_.result(id, i)));
      }
      const NodeId copy = out.append(node.op, operands, node.attributes, types, node.location);
      for (std::uint32_t i = 0; i < node.result_count; ++i) {
        now[body_.result(id, i).id] = out.result(copy, i);
      }
    }
    std::vector<Value> results;
    for (const std::size_t i : parts.carries) results.push_back(now[body_.results()[i].id]);
    for (const auto& [carry, node] : stacks_) {
      const Value update = body_.operand(node, 1);
      builder.at(body_.node(node).location);
      results.push_back(reshaped(now[update.id], without_first(body_.type(update).shape)));
    }
    out.set_results(std::move(results));
    return out;
  }

  static Shape without_first(const Shape& shape) {
    return Shape(std::vector<std::int64_t>(shape.begin() + 1, shape.end()));
  }

  const Graph& graph_;
  const NodeId id_;
  const Graph& condition_;
  const Graph& body_;
  const std::size_t carries_;
  const std::vector<std::uint32_t> uses_;
  std::vector<NodeId> last_user_;  // of a value: the last node that uses it
  std::int64_t length_ = 0;
  bool reverse_ = false;
  std::map<std::size_t, NodeId> stacks_;  // by carry: the node that fills it
  std::set<std::size_t> sequences_;       // operands of the loop
  std::set<NodeId> slices_;               // that take their steps
};

}  // namespace

bool find_scans(Graph& graph) {
  return rewrite(graph, [&](Rewriter& rewriter, NodeId id) {
    if (graph.node(id).op != Op::while_loop) return false;
    Loop loop(graph, id);
    if (!loop.understand()) return false;
    rewriter.replace(id, loop.append(rewriter));
    return true;
  });
}

}  // namespace tutti::ir::stablehlo
