#include <tutti/ir/passes/choose_parts.h>
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

class PartsOfGraph {
 public:
  PartsOfGraph(const Graph& graph, const PartsChoice& choice) : graph_(graph), choice_(choice) {}

  bool visit(Rewriter& rewriter, NodeId id) {
    const Node& node = graph_.node(id);
    if (node.result_count == 1) {
      const Value result = graph_.result(id);
      if (choice_.is_put_together(result) && !choice_.is_needed_whole(result)) {
        return leave_apart(result);
      }
      if (choice_.by_parts(id)) return by_parts(rewriter, id);
    }
    return copy_with_wholes(rewriter, id);
  }

 private:
  const Shape& shape(Value value) const { return graph_.type(value).shape; }
  OpClass kind(NodeId id) const { return definition(graph_.node(id).op).kind; }

  // The value is there by its parts alone, until somebody asks for all of it.
  bool leave_apart(Value value) {
    missing_[value.id] = {};
    return true;
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
    if (choice_.split(result)) {
      const Parts& parts = parts_[result.id] = make_parts(rewriter, id);
      if (!choice_.is_needed_whole(result)) return leave_apart(result);
      value = put_together(rewriter.builder(), parts, shape(result), *choice_.split(result));
    } else {
      value = kind(id) == OpClass::reduce ? combined(rewriter, id) : sliced(rewriter, id);
    }
    value = as_type(rewriter.builder(), value, graph_.type(result));
    if (!value.valid()) return copy_with_wholes(rewriter, id);
    rewriter.replace(id, value);
    return true;
  }

  Parts make_parts(Rewriter& rewriter, NodeId id) {
    const Split& split = *choice_.split(graph_.result(id));
    Parts out;
    for (std::size_t part = 0; part < split.count(); ++part) {
      if (kind(id) == OpClass::view) {
        const Value operand = graph_.operand(id, 0);
        out.push_back(view_of_part(rewriter.builder(), graph_, id,
                                   parts_of(rewriter, operand)[part], *choice_.split(operand),
                                   split, part));
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
    if (const std::optional<Split> own = choice_.split_of_operand(id, operand)) {
      if (choice_.split(operand) == own) return parts_of(rewriter, operand)[part];
      return cut(rewriter.builder(), whole(rewriter, operand), *own, part);
    }
    // Thin parts are without the axis, and so has to be what repeats itself along it.
    const Split& split = *choice_.split(graph_.result(id));
    const int axis = split.axis - shape(graph_.result(id)).rank() + shape(operand).rank();
    const Value value = whole(rewriter, operand);
    if (!split.thin() || axis < 0) return value;
    const Split alone{.axis = axis, .ends = {1}};
    return cut(rewriter.builder(), value, alone, 0);
  }

  Value sliced(Rewriter& rewriter, NodeId id) {
    const Value operand = graph_.operand(id, 0);
    const Split& split = *choice_.split(operand);
    const std::size_t part = *part_of_slice(graph_, id, split);
    return slice_of_part(rewriter.builder(), graph_, id, parts_of(rewriter, operand)[part], split,
                         part);
  }

  Value combined(Rewriter& rewriter, NodeId id) {
    Builder& builder = rewriter.builder();
    const Type& type = graph_.type(graph_.result(id));
    const Op op = *combination_of_parts(graph_.node(id).op, type.dtype);
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
    const Split& split = *choice_.split(value);
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
    if (const std::optional<std::int64_t> place = choice_.place_in_pad(id, part)) {
      const Split own = split_into_places(split.axis, shape(inner)[split.axis]);
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
                                      *choice_.split(value));
      missing_[value.id] = made;
      return made;
    }
    return found->second;
  }

  const Graph& graph_;
  const PartsChoice& choice_;
  std::unordered_map<std::uint32_t, Parts> parts_;    // by old value: new ones
  std::unordered_map<std::uint32_t, Value> missing_;  // there by parts alone; once made, the whole
};

// Each time, what is put together moves on towards the results or is gone: so this ends soon.
constexpr int kMostRounds = 8;

bool split_values(Graph& graph) {
  bool changed = false;
  for (int round = 0; round < kMostRounds; ++round) {
    const PartsChoice choice(graph);
    if (choice.empty()) break;
    const Graph before = graph;
    PartsOfGraph parts(graph, choice);
    rewrite(graph, [&](Rewriter& rewriter, NodeId id) { return parts.visit(rewriter, id); });
    canonicalize_function(graph);
    cse(graph);
    dce(graph);
    // What differs in more than its elements is put together as it was.
    if (structurally_equal(before, graph)) break;
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
