#include <tutti/ir/function.h>
#include <tutti/ir/passes/parts.h>
#include <tutti/ir/passes/passes.h>
#include <tutti/ir/passes/split_carries.h>
#include <tutti/ir/rewrite.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

// Programs put numbers together (a state of x, y and z) to compute with all of them, and take them
// apart again. Here what lies between is computed for each part by itself, which leaves one kernel
// where there was one before and one behind, with copies between them.
namespace tutti::ir {

namespace {

using Parts = std::vector<Value>;

// What combines two parts in place of a reduction over the axis that they lie along.
std::optional<Op> combination_of(Op reduction, DType dtype) {
  // A sum of narrow floats is rounded once.
  const bool exact = !is_floating(dtype) || size_of(dtype) >= 4;
  switch (reduction) {
    case Op::sum:
      return exact ? std::optional(Op::add) : std::nullopt;
    case Op::prod:
      return exact ? std::optional(Op::mul) : std::nullopt;
    case Op::max:
      return Op::maximum;
    case Op::min:
      return Op::minimum;
    case Op::any:
      return Op::logical_or;
    case Op::all:
      return Op::logical_and;
    default:
      return std::nullopt;
  }
}

// What a part's type may have other than the whole: what is made of numbers alone is no slice of
// what is not.
struct Origin {
  bool literal = false;
  Device device;

  friend bool operator==(const Origin&, const Origin&) = default;
};

class PartsOfGraph {
 public:
  explicit PartsOfGraph(const Graph& graph)
      : graph_(graph),
        splits_(graph.value_count()),
        origins_(graph.value_count()),
        joins_(graph.value_count(), false),
        all_take_parts_(graph.value_count(), true),
        whole_(graph.value_count(), false),
        by_parts_(graph.node_count(), false) {
    find_splits();
    if (!any_) return;
    for (const Value result : graph.results()) {
      all_take_parts_[result.id] = false;
      whole_[result.id] = true;
    }
    for (NodeId id = 0; id < graph.node_count(); ++id) {
      for (std::size_t i = 0; i < graph.node(id).operand_count; ++i) {
        const Value operand = graph.operand(id, i);
        if (!takes_parts(id, i)) all_take_parts_[operand.id] = false;
      }
    }
    for (auto id = static_cast<NodeId>(graph.node_count()); id-- > 0;) decide(id);
    leave_out_what_has_no_parts();
  }

  bool apply(Graph& graph) {
    if (std::ranges::find(by_parts_, true) == by_parts_.end()) return false;
    return rewrite(graph, [this](Rewriter& rewriter, NodeId id) { return visit(rewriter, id); });
  }

 private:
  const Shape& shape(Value value) const { return graph_.type(value).shape; }
  OpClass kind(NodeId id) const { return definition(graph_.node(id).op).kind; }
  bool has_split(Value value) const { return splits_[value.id].has_value(); }

  void find_splits() {
    for (NodeId id = 0; id < graph_.node_count(); ++id) {
      const Node& node = graph_.node(id);
      if (node.result_count != 1 || node.operand_count == 0) continue;
      std::optional<Split>& split = splits_[graph_.result(id).id];
      if (node.op == Op::concat || node.op == Op::pad) {
        split = split_of(graph_, id);
        any_ = any_ || split;
      } else if (kind(id) == OpClass::view && node.operand_count == 1) {
        const Value operand = graph_.operand(id, 0);
        if (has_split(operand)) split = split_through(graph_, id, *splits_[operand.id]);
      } else if (kind(id) == OpClass::elementwise) {
        split = split_of_elementwise(id);
      }
      if (!split) continue;
      origins_[graph_.result(id).id] = find_origins(id);
      joins_[graph_.result(id).id] = joins(id);
    }
  }

  static Origin origin_of(const Type& type) { return {type.replication.literal, type.device}; }

  std::vector<Origin> find_origins(NodeId id) const {
    const Split& split = *splits_[graph_.result(id).id];
    std::vector<Origin> out;
    for (std::size_t part = 0; part < split.count(); ++part) {
      Origin origin{.literal = true, .device = {}};
      const auto take = [&](const Origin& of) {
        origin.literal = origin.literal && of.literal;
        if (origin.device.is_any()) origin.device = of.device;
      };
      const auto take_value = [&](Value value) { take(origin_of(graph_.type(value))); };
      if (graph_.node(id).op == Op::concat) {
        take_value(graph_.operand(id, part));
      } else if (graph_.node(id).op == Op::pad) {
        take_value(graph_.operand(id, place_in_pad(id, split, part) ? 0 : 1));
      } else {
        for (const Value operand : graph_.operands(id)) {
          const bool has_parts =
              has_split(operand) &&
              (kind(id) == OpClass::view || split_of_operand(id, operand) == splits_[operand.id]);
          has_parts ? take(origins_[operand.id][part]) : take_value(operand);
        }
      }
      out.push_back(origin);
    }
    return out;
  }

  // Where in a pad's operand the part lies, if it does.
  std::optional<std::int64_t> place_in_pad(NodeId id, const Split& split, std::size_t part) const {
    const auto axis = static_cast<std::size_t>(split.axis);
    const std::int64_t place =
        static_cast<std::int64_t>(part) - graph_.attributes(id).integers("low")[axis];
    const std::int64_t size = shape(graph_.operand(id, 0))[split.axis];
    return place >= 0 && place < size ? std::optional(place) : std::nullopt;
  }

  // That of the first operand that has one.
  std::optional<Split> split_of_elementwise(NodeId id) const {
    const Shape& result = shape(graph_.result(id));
    if (result.elements() == 0) return std::nullopt;
    for (const Value operand : graph_.operands(id)) {
      if (!has_split(operand)) continue;
      Split out = *splits_[operand.id];
      out.axis += result.rank() - shape(operand).rank();
      return out;
    }
    return std::nullopt;
  }

  // The split of an elementwise node's result as its operand has to have it; nothing if the operand
  // repeats itself along that axis.
  std::optional<Split> split_of_operand(NodeId id, Value operand) const {
    Split out = *splits_[graph_.result(id).id];
    out.axis -= shape(graph_.result(id)).rank() - shape(operand).rank();
    const bool repeats = out.axis < 0 || shape(operand)[out.axis] != out.ends.back();
    return repeats ? std::nullopt : std::optional(out);
  }

  // Whether the node could do with the parts of an operand.
  bool takes_parts(NodeId id, std::size_t i) const {
    const Value operand = graph_.operand(id, i);
    if (!has_split(operand)) return false;
    const Split& split = *splits_[operand.id];
    if (const std::optional<std::size_t> part = part_of_slice(graph_, id, split)) {
      return origins_[operand.id][*part] == origin_of(graph_.type(graph_.result(id)));
    }
    if (kind(id) == OpClass::reduce) return combines_parts(id, split);
    if (graph_.node(id).result_count != 1 || !has_split(graph_.result(id))) return false;
    if (kind(id) == OpClass::view) return true;
    return kind(id) == OpClass::elementwise && split_of_operand(id, operand) == split;
  }

  bool combines_parts(NodeId id, const Split& split) const {
    const std::vector<std::int64_t>& axes = graph_.attributes(id).integers("axes");
    return split.thin() && axes.size() == 1 && axes[0] == split.axis &&
           combination_of(graph_.node(id).op, graph_.type(graph_.result(id)).dtype).has_value();
  }

  // Users come first: whether anybody needs a value as a whole is known when its node is looked at.
  void decide(NodeId id) {
    const Node& node = graph_.node(id);
    if (node.result_count == 1) by_parts_[id] = goes_by_parts(id);
    for (std::size_t i = 0; i < node.operand_count; ++i) {
      if (!by_parts_[id] || !takes_parts(id, i)) whole_[graph_.operand(id, i).id] = true;
    }
  }

  // Whether to compute parts that are put together behind: few ones of one shape, which one kernel
  // computes, and no lone pad, which kernels can read as it is.
  bool is_worth_it(NodeId id) const {
    const Split& split = *splits_[graph_.result(id).id];
    const bool is_even = split.ends.back() == split.ends[0] * std::ssize(split.ends);
    return is_even && split.count() <= kMostParts / 2 && joins_[graph_.result(id).id];
  }
  // Whether a value is more than a pad: a concat, or pads that add up, or made of these.
  bool joins(NodeId id) const {
    if (graph_.node(id).op == Op::concat) return true;
    int pads = 0;
    for (std::size_t i = 0; i < graph_.node(id).operand_count; ++i) {
      const Value operand = graph_.operand(id, i);
      if (!takes_parts(id, i)) continue;
      if (joins_[operand.id]) return true;
      ++pads;
    }
    return pads > 1;
  }

  bool goes_by_parts(NodeId id) const {
    const Value result = graph_.result(id);
    if (graph_.node(id).op == Op::concat || graph_.node(id).op == Op::pad) return false;
    const auto takes = [&](std::size_t i) { return takes_parts(id, i); };
    if (!has_split(result)) return graph_.node(id).operand_count == 1 && takes(0);
    if (!whole_[result.id]) return true;
    if (kind(id) != OpClass::elementwise || !is_worth_it(id)) return false;
    // Putting its own parts together is worth it where nobody has to put an operand's together, and
    // where it is no epilogue of what makes another operand.
    for (std::size_t i = 0; i < graph_.node(id).operand_count; ++i) {
      const Value operand = graph_.operand(id, i);
      if (takes(i) ? !all_take_parts_[operand.id]
                   : kind(graph_.producer(operand)) == OpClass::opaque) {
        return false;
      }
    }
    return true;
  }

  // What could go by parts, but of operands whose parts would have to be cut off them.
  void leave_out_what_has_no_parts() {
    std::vector<bool> has_parts(graph_.value_count(), false);
    for (NodeId id = 0; id < graph_.node_count(); ++id) {
      if (graph_.node(id).result_count != 1) continue;
      const Value result = graph_.result(id);
      const Op op = graph_.node(id).op;
      if (by_parts_[id]) {
        bool any = false;
        for (std::size_t i = 0; i < graph_.node(id).operand_count; ++i) {
          any = any || (has_parts[graph_.operand(id, i).id] && takes_parts(id, i));
        }
        by_parts_[id] = any;
      }
      has_parts[result.id] =
          has_split(result) && (op == Op::concat || op == Op::pad || by_parts_[id]);
    }
  }

  // ---- The new graph ----

  bool visit(Rewriter& rewriter, NodeId id) {
    const Node& node = graph_.node(id);
    if (node.result_count == 1) {
      const Value result = graph_.result(id);
      const bool is_put_together = node.op == Op::concat || node.op == Op::pad;
      if (is_put_together && has_split(result) && !whole_[result.id]) {
        rewriter.replace(id, Value{});
        missing_[result.id] = {};
        return true;
      }
      if (by_parts_[id]) return by_parts(rewriter, id);
    }
    return copy_with_wholes(rewriter, id);
  }

  // Where an operand is there by parts alone.
  bool copy_with_wholes(Rewriter& rewriter, NodeId id) {
    const auto is_missing = [this](Value operand) { return missing_.contains(operand.id); };
    if (std::ranges::none_of(graph_.operands(id), is_missing)) return false;
    std::vector<Value> operands;
    for (const Value operand : graph_.operands(id)) operands.push_back(whole(rewriter, operand));
    const NodeId made =
        rewriter.builder().node(graph_.node(id).op, operands, graph_.node(id).attributes);
    std::vector<Value> results;
    for (std::uint32_t i = 0; i < graph_.node(id).result_count; ++i) {
      results.push_back(as_type(rewriter.builder(), rewriter.to().result(made, i),
                                graph_.type(graph_.result(id, i))));
    }
    rewriter.replace(id, results);
    return true;
  }

  bool by_parts(Rewriter& rewriter, NodeId id) {
    const Value result = graph_.result(id);
    Value value;
    if (has_split(result)) {
      const Parts& parts = parts_[result.id] = make_parts(rewriter, id);
      if (!whole_[result.id]) {
        rewriter.replace(id, Value{});
        missing_[result.id] = {};
        return true;
      }
      value = put_together(rewriter.builder(), parts, shape(result), *splits_[result.id]);
    } else {
      value = kind(id) == OpClass::reduce ? combined(rewriter, id) : sliced(rewriter, id);
    }
    value = as_type(rewriter.builder(), value, graph_.type(result));
    if (!value.valid()) return copy_with_wholes(rewriter, id);
    rewriter.replace(id, value);
    return true;
  }

  Parts make_parts(Rewriter& rewriter, NodeId id) {
    const Split& split = *splits_[graph_.result(id).id];
    Parts out;
    for (std::size_t part = 0; part < split.count(); ++part) {
      if (kind(id) == OpClass::view) {
        const Value operand = graph_.operand(id, 0);
        out.push_back(view_of_part(rewriter.builder(), graph_, id,
                                   parts_of(rewriter, operand)[part], *splits_[operand.id], split,
                                   part));
        continue;
      }
      std::vector<Value> operands;
      for (const Value operand : graph_.operands(id)) {
        operands.push_back(operand_part(rewriter, id, operand, part));
      }
      out.push_back(
          rewriter.builder().add(graph_.node(id).op, operands, graph_.node(id).attributes));
    }
    return out;
  }

  Value operand_part(Rewriter& rewriter, NodeId id, Value operand, std::size_t part) {
    if (const std::optional<Split> own = split_of_operand(id, operand)) {
      if (splits_[operand.id] == own) return parts_of(rewriter, operand)[part];
      return cut(rewriter.builder(), whole(rewriter, operand), *own, part);
    }
    // Thin parts are without the axis, and so has to be what repeats itself along it.
    const Split& split = *splits_[graph_.result(id).id];
    const int axis = split.axis - shape(graph_.result(id)).rank() + shape(operand).rank();
    const Value value = whole(rewriter, operand);
    if (!split.thin() || axis < 0) return value;
    const Split alone{.axis = axis, .ends = {1}};
    return cut(rewriter.builder(), value, alone, 0);
  }

  Value sliced(Rewriter& rewriter, NodeId id) {
    const Value operand = graph_.operand(id, 0);
    const Split& split = *splits_[operand.id];
    const std::size_t part = *part_of_slice(graph_, id, split);
    return slice_of_part(rewriter.builder(), graph_, id, parts_of(rewriter, operand)[part], split,
                         part);
  }

  Value combined(Rewriter& rewriter, NodeId id) {
    Builder& builder = rewriter.builder();
    const Type& type = graph_.type(graph_.result(id));
    const Op op = *combination_of(graph_.node(id).op, type.dtype);
    Value out;
    for (const Value part : parts_of(rewriter, graph_.operand(id, 0))) {
      out = out.valid() ? builder.add(op, {out, part}) : part;
    }
    // A sum starts at 0, and 0 + -0 is 0.
    if (op == Op::add && is_floating(type.dtype)) {
      out = builder.add(op, {out, builder.scalar(type.dtype, 0)});
    }
    if (builder.type(out).shape == type.shape) return out;
    return builder.add(Op::reshape, {out},
                       {std::vector<std::int64_t>(type.shape.begin(), type.shape.end())});
  }

  const Parts& parts_of(Rewriter& rewriter, Value value) {
    Parts& out = parts_[value.id];
    if (!out.empty()) return out;
    Builder& builder = rewriter.builder();
    const Split& split = *splits_[value.id];
    const NodeId id = graph_.producer(value);
    const Op op = graph_.node(id).op;
    Parts made;
    for (std::size_t part = 0; part < split.count(); ++part) {
      if (op == Op::concat) {
        const Value operand = whole(rewriter, graph_.operand(id, part));
        const Split alone{.axis = split.axis, .ends = {split.size(part)}};
        made.push_back(split.thin() ? cut(builder, operand, alone, 0) : operand);
      } else if (op == Op::pad) {
        made.push_back(part_of_pad(rewriter, id, split, part));
      } else {
        made.push_back(cut(builder, whole(rewriter, value), split, part));
      }
    }
    return parts_[value.id] = std::move(made);
  }

  Value part_of_pad(Rewriter& rewriter, NodeId id, const Split& split, std::size_t part) {
    const Value inner = graph_.operand(id, 0);
    if (const std::optional<std::int64_t> place = place_in_pad(id, split, part)) {
      Split own{.axis = split.axis, .ends = {}};
      for (std::int64_t i = 1; i <= shape(inner)[split.axis]; ++i) own.ends.push_back(i);
      return cut(rewriter.builder(), whole(rewriter, inner), own, static_cast<std::size_t>(*place));
    }
    const Shape own = part_shape(shape(graph_.result(id)), split, part);
    return rewriter.builder().add(Op::broadcast_to, {whole(rewriter, graph_.operand(id, 1))},
                                  {std::vector<std::int64_t>(own.begin(), own.end())});
  }

  Value whole(Rewriter& rewriter, Value value) {
    const auto found = missing_.find(value.id);
    if (found == missing_.end()) return rewriter.map(value);
    if (!found->second.valid()) {
      const Value made = put_together(rewriter.builder(), parts_of(rewriter, value), shape(value),
                                      *splits_[value.id]);
      missing_[value.id] = made;
      return made;
    }
    return found->second;
  }

  const Graph& graph_;
  bool any_ = false;
  std::vector<std::optional<Split>> splits_;  // by value
  std::vector<std::vector<Origin>> origins_;  // by value, of each of its parts
  std::vector<bool> joins_;                   // by value: see joins()
  std::vector<bool> all_take_parts_;          // by value: all that use it could do with its parts
  std::vector<bool> whole_;                   // by value: somebody needs all of it
  std::vector<bool> by_parts_;                // by node
  std::unordered_map<std::uint32_t, Parts> parts_;    // by old value: new ones
  std::unordered_map<std::uint32_t, Value> missing_;  // there by parts alone; once made, the whole
};

// Each time, what is put together moves on towards the results or is gone: so this ends soon.
constexpr int kMostRounds = 8;

bool split_values(Graph& graph) {
  bool changed = false;
  for (int round = 0; round < kMostRounds && PartsOfGraph(graph).apply(graph); ++round) {
    canonicalize_function(graph);
    cse(graph);
    dce(graph);
    changed = true;
  }
  return changed;
}

}  // namespace

bool split_parts(Graph& graph) {
  bool changed = split_values(graph);
  while (split_carries(graph)) {
    split_values(graph);
    changed = true;
  }
  return changed;
}

}  // namespace tutti::ir
