#include <tutti/ir/passes/collectives_of_one.h>
#include <tutti/ir/passes/passes.h>
#include <tutti/ir/passes/splat.h>
#include <tutti/ir/rewrite.h>

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

// A legal rule gives the same bits for every operand: -0, infinities, NaN (its payload aside) and
// overflow included. So x + (-0.0), x - 0.0, x * 1 and x / 1 are x, but x + 0.0 is not (it makes 0
// of -0), nor is x * 0 a 0. And it keeps the exact type, replication included: no rule takes a
// literal as replicated. Simplifier::become() sees to that for all of them.
namespace tutti::ir {

namespace {

using List = std::vector<std::int64_t>;

// One node on its way into the new graph, its operands being canonical already. Rules look at it
// and either change it (and all rules look again) or find the value that it equals.
struct Simplifier {
  Rewriter& rewriter;
  const Type& type;
  Op op;
  std::vector<Value> operands;
  std::vector<Attribute> attributes;
  Value value = {};

  const Graph& graph() const { return rewriter.to(); }
  const Type& operand_type(std::size_t i = 0) const { return graph().type(operands[i]); }
  const Shape& shape() const { return operand_type().shape; }
  const List& list(std::size_t i) const { return std::get<List>(attributes[i]); }
  // The node behind the first operand, if it is of that op.
  const Node* inner(Op wanted) const {
    const Node& node = graph().node(graph().producer(operands[0]));
    return node.op == wanted ? &node : nullptr;
  }
  Value inner_operand() const { return graph().operand(graph().producer(operands[0]), 0); }

  bool become(Value other) {
    if (graph().type(other) != type) return false;
    value = other;
    return true;
  }
  bool become(Op other, std::vector<Value> others, std::vector<Attribute> values) {
    std::vector<Type> types;
    for (const Value operand : others) types.push_back(graph().type(operand));
    const std::vector<Type> result = infer_types(other, types, values, graph().mesh.get());
    if (result.size() != 1 || result[0] != type) return false;
    op = other;
    operands = std::move(others);
    attributes = std::move(values);
    return true;
  }
};

const List& inner_list(const Node& node, std::size_t i) {
  return std::get<List>(node.attributes[i]);
}

// Ones and zeros need nothing computed but their type: the first of every gradient, ones like the
// loss, would compute the loss.
bool forget_computation(Simplifier& node) {
  if (node.op != Op::ones_like && node.op != Op::zeros_like) return false;
  Value source = source_like(node.graph(), node.operands[0]);
  if (!source.valid()) return false;
  Builder& builder = node.rewriter.builder();
  const Shape whole = node.graph().type(source).shape;
  const auto rank = static_cast<std::size_t>(whole.rank());
  if (whole.elements() > 1) {
    source = builder.add(Op::slice, {source}, {List(rank, 0), List(rank, 1), List(rank, 1)});
  }
  if (rank > 0) source = builder.add(Op::reshape, {source}, {List()});
  const Shape& shape = node.type.shape;
  if (shape.rank() == 0) return node.become(node.op, {source}, {});
  return node.become(Op::broadcast_to, {builder.add(node.op, {source})},
                     {List(shape.begin(), shape.end())});
}

// By now gradients have been taken.
bool drop_identity(Simplifier& node) {
  return (node.op == Op::identity || node.op == Op::stop_gradient) && node.become(node.operands[0]);
}

// expand_dims and squeeze are reshapes under friendlier names; a reshape of a reshape is one.
bool simplify_reshape(Simplifier& node) {
  if (node.op == Op::expand_dims || node.op == Op::squeeze) {
    const Shape& shape = node.type.shape;
    return node.become(Op::reshape, {node.operands[0]}, {List(shape.begin(), shape.end())});
  }
  if (node.op != Op::reshape) return false;
  if (node.shape() == node.type.shape) return node.become(node.operands[0]);
  // A broadcast that only adds axes is a reshape, too.
  const bool adds_axes =
      node.inner(Op::broadcast_to) != nullptr &&
      node.graph().type(node.inner_operand()).shape.elements() == node.shape().elements();
  return (adds_axes || node.inner(Op::reshape) != nullptr) &&
         node.become(Op::reshape, {node.inner_operand()}, node.attributes);
}

bool simplify_transpose(Simplifier& node) {
  if (node.op != Op::transpose) return false;
  if (std::ranges::is_sorted(node.list(0))) return node.become(node.operands[0]);
  const Node* inner = node.inner(Op::transpose);
  if (inner == nullptr) return false;
  List permutation = node.list(0);
  for (std::int64_t& from : permutation)
    from = inner_list(*inner, 0)[static_cast<std::size_t>(from)];
  return node.become(Op::transpose, {node.inner_operand()}, {std::move(permutation)});
}

bool simplify_broadcast_to(Simplifier& node) {
  if (node.op != Op::broadcast_to) return false;
  if (node.shape() == node.type.shape) return node.become(node.operands[0]);
  return node.inner(Op::broadcast_to) != nullptr &&
         node.become(Op::broadcast_to, {node.inner_operand()}, node.attributes);
}

// One number seen from all sides: any view of its broadcast is another broadcast.
bool simplify_view_of_number(Simplifier& node) {
  if (node.op != Op::reshape && node.op != Op::transpose && node.op != Op::reverse) return false;
  if (node.inner(Op::broadcast_to) == nullptr) return false;
  const Shape& number = node.graph().type(node.inner_operand()).shape;
  const Shape& shape = node.type.shape;
  return number.elements() == 1 && number.rank() <= shape.rank() &&
         node.become(Op::broadcast_to, {node.inner_operand()}, {List(shape.begin(), shape.end())});
}

// Elementwise ops broadcast by themselves; if the other operands give the result its shape, one
// need not be broadcast before.
bool read_through_broadcast(Simplifier& node) {
  if (definition(node.op).kind != OpClass::elementwise || node.operands.size() < 2) return false;
  for (std::size_t i = 0; i < node.operands.size(); ++i) {
    const NodeId view = node.graph().producer(node.operands[i]);
    if (node.graph().node(view).op != Op::broadcast_to) continue;
    std::vector<Value> operands = node.operands;
    operands[i] = node.graph().operand(view, 0);
    if (node.become(node.op, std::move(operands), node.attributes)) return true;
  }
  return false;
}

// What comes of ones and zeros is read as the number that it is.
bool read_numbers(Simplifier& node) {
  if (definition(node.op).kind != OpClass::elementwise || node.operands.size() < 2) return false;
  for (std::size_t i = 0; i < node.operands.size(); ++i) {
    const std::optional<Splat> splat = splat_of(node.graph(), node.operands[i]);
    if (!splat || !splat->is_computed) continue;
    std::vector<Value> operands = node.operands;
    operands[i] = node.rewriter.builder().constant(splat->number.reshaped({}));
    if (node.become(node.op, std::move(operands), node.attributes)) return true;
  }
  return false;
}

bool simplify_slice(Simplifier& node) {
  if (node.op != Op::slice) return false;
  if (node.shape() == node.type.shape) return node.become(node.operands[0]);
  const Node* inner = node.inner(Op::slice);
  if (inner == nullptr) return false;
  List start = node.list(0);
  List stop = node.list(1);
  List step = node.list(2);
  for (std::size_t d = 0; d < start.size(); ++d) {
    const std::int64_t size = node.type.shape[static_cast<int>(d)];
    const std::int64_t inner_step = inner_list(*inner, 2)[d];
    step[d] = size <= 1 ? 1 : step[d] * inner_step;
    start[d] = size == 0 ? 0 : inner_list(*inner, 0)[d] + start[d] * inner_step;
    stop[d] = size == 0 ? 0 : start[d] + (size - 1) * step[d] + 1;
  }
  return node.become(Op::slice, {node.inner_operand()},
                     {std::move(start), std::move(stop), std::move(step)});
}

bool simplify_reverse(Simplifier& node) {
  if (node.op != Op::reverse) return false;
  List axes;
  for (const std::int64_t axis : node.list(0)) {
    if (node.shape()[static_cast<int>(axis)] > 1) axes.push_back(axis);
  }
  if (axes.empty()) return node.become(node.operands[0]);
  if (const Node* inner = node.inner(Op::reverse)) {
    List once;
    std::ranges::set_symmetric_difference(axes, inner_list(*inner, 0), std::back_inserter(once));
    return node.become(Op::reverse, {node.inner_operand()}, {std::move(once)});
  }
  return axes.size() != node.list(0).size() &&
         node.become(Op::reverse, {node.operands[0]}, {std::move(axes)});
}

bool simplify_concat(Simplifier& node) {
  if (node.op != Op::concat || node.type.shape.elements() == 0) return false;
  std::vector<Value> parts;
  std::ranges::copy_if(node.operands, std::back_inserter(parts), [&](Value operand) {
    return node.rewriter.builder().type(operand).shape.elements() > 0;
  });
  return parts.size() < node.operands.size() && node.become(Op::concat, parts, node.attributes);
}

bool simplify_pad_and_concat(Simplifier& node) {
  const bool alone = node.op == Op::concat && node.operands.size() == 1;
  return (alone || (node.op == Op::pad && node.shape() == node.type.shape)) &&
         node.become(node.operands[0]);
}

bool simplify_to_device(Simplifier& node) {
  if (node.op != Op::to_device) return false;
  if (node.become(node.operands[0])) return true;
  return node.inner(Op::to_device) != nullptr &&
         node.become(Op::to_device, {node.inner_operand()}, node.attributes);
}

// Whether every value of a dtype is one of the wider dtype, and stays the same under a cast there.
bool widens(DType from, DType to) {
  if (from == to || from == DType::boolean) return true;
  const auto bits = [](DType dtype) { return 8 * size_of(dtype); };
  if (is_floating(from)) return is_floating(to) && bits(to) > bits(from);
  if (is_floating(to)) {
    return bits(from) - (is_signed_integer(from) ? 1 : 0) <= mantissa_bits(to) + 1;
  }
  if (is_unsigned(from)) return is_integer(to) && bits(to) > bits(from);
  return is_signed_integer(to) && bits(to) > bits(from);
}

bool simplify_cast(Simplifier& node) {
  if (node.op != Op::cast && node.op != Op::bitcast) return false;
  if (node.operand_type().dtype == node.type.dtype) return node.become(node.operands[0]);
  if (node.inner(node.op) == nullptr) return false;
  const DType from = node.graph().type(node.inner_operand()).dtype;
  const DType via = node.operand_type().dtype;
  // From integer to float and on to integer: the first wraps, the second saturates.
  const bool turns = is_floating(from) != is_floating(via) && !is_floating(node.type.dtype);
  if (node.op == Op::cast && (!widens(from, via) || turns)) return false;
  return node.become(node.op, {node.inner_operand()}, node.attributes);
}

// A reduction over dimensions of size 1 only, or over none.
bool simplify_reduction(Simplifier& node) {
  if (definition(node.op).kind != OpClass::reduce) return false;
  if (node.shape().elements() != node.type.shape.elements() ||
      !std::ranges::all_of(node.list(0), [&](std::int64_t axis) {
        return node.shape()[static_cast<int>(axis)] == 1;
      })) {
    return false;
  }
  Value x = node.operands[0];
  if (node.op == Op::sum && is_floating(node.type.dtype)) {
    // A sum starts at 0, and 0 + -0 is 0.
    Builder& builder = node.rewriter.builder();
    x = builder.add(Op::add, {x, builder.scalar(node.type.dtype, 0)});
  }
  return node.become(Op::reshape, {x}, {List(node.type.shape.begin(), node.type.shape.end())});
}

// Ops that undo themselves, and ops that change nothing the second time.
bool simplify_twice(Simplifier& node) {
  switch (node.op) {
    case Op::neg:
    case Op::logical_not:
    case Op::bitwise_not:
      return node.inner(node.op) != nullptr && node.become(node.inner_operand());
    case Op::abs:
      if (node.inner(Op::neg) != nullptr && !is_unsigned(node.type.dtype))
        return node.become(Op::abs, {node.inner_operand()}, {});
      [[fallthrough]];
    case Op::floor:
    case Op::ceil:
    case Op::round:
      return node.inner(node.op) != nullptr && node.become(node.operands[0]);
    default:
      return false;
  }
}

bool simplify_neutral_element(Simplifier& node) {
  struct Neutral {
    Op op;
    double right;  // as a double; add's -0 is 0 for integers
  };
  static constexpr std::array kNeutral = {
      Neutral{Op::add, -0.0},      Neutral{Op::sub, 0},         Neutral{Op::mul, 1},
      Neutral{Op::div, 1},         Neutral{Op::logical_or, 0},  Neutral{Op::logical_xor, 0},
      Neutral{Op::logical_and, 1}, Neutral{Op::bitwise_or, 0},  Neutral{Op::bitwise_xor, 0},
      Neutral{Op::shift_left, 0},  Neutral{Op::shift_right, 0},
  };
  const auto found = std::ranges::find(kNeutral, node.op, &Neutral::op);
  return found != kNeutral.end() && is_splat(node.graph(), node.operands[1], found->right) &&
         node.become(node.operands[0]);
}

// minimum and maximum are not among these: of 0 and -0 they may give the first.
bool constants_to_the_right(Simplifier& node) {
  static constexpr std::array kCommutative = {
      Op::add,        Op::mul,         Op::eq,          Op::ne,         Op::logical_and,
      Op::logical_or, Op::logical_xor, Op::bitwise_and, Op::bitwise_or, Op::bitwise_xor};
  if (std::ranges::find(kCommutative, node.op) == kCommutative.end()) return false;
  const auto is_constant = [&](Value value) {
    return node.graph().op(value) == Op::constant || splat_of(node.graph(), value).has_value();
  };
  return is_constant(node.operands[0]) && !is_constant(node.operands[1]) &&
         node.become(node.op, {node.operands[1], node.operands[0]}, {});
}

bool simplify_select(Simplifier& node) {
  if (node.op != Op::select) return false;
  if (node.operands[1] == node.operands[2] && node.become(node.operands[1])) return true;
  if (is_splat(node.graph(), node.operands[0], 1)) return node.become(node.operands[1]);
  return is_splat(node.graph(), node.operands[0], 0) && node.become(node.operands[2]);
}

constexpr std::array kRules = {
    drop_identity,          simplify_reshape,        simplify_transpose,
    simplify_broadcast_to,  simplify_slice,          simplify_reverse,
    simplify_concat,        simplify_pad_and_concat, simplify_cast,
    simplify_reduction,     simplify_twice,          simplify_neutral_element,
    constants_to_the_right, simplify_select,         simplify_view_of_number,
    read_through_broadcast, simplify_to_device,      forget_computation,
    read_numbers,
};

}  // namespace

bool canonicalize(Graph& graph) {
  const bool dropped = drop_collectives_of_one(graph);
  return canonicalize_function(graph) || dropped;
}

bool canonicalize_function(Graph& graph) {
  // A value is waited for once, even where the views between two waits turned out to be none.
  std::unordered_map<std::uint32_t, Value> waits;
  return rewrite(graph, [&](Rewriter& rewriter, NodeId id) {
    const Node& old = graph.node(id);
    if (old.result_count != 1 || old.operand_count == 0) return false;
    if (old.op == Op::wait) {
      const Value async = rewriter.map(graph.operand(id, 0));
      // If the node stays, rewrite() gives it this result.
      const Value next{static_cast<std::uint32_t>(rewriter.to().value_count())};
      const auto [found, first] = waits.try_emplace(async.id, next);
      if (first) return false;
      rewriter.replace(id, found->second);
      return true;
    }
    Simplifier node{.rewriter = rewriter,
                    .type = graph.type(graph.result(id)),
                    .op = old.op,
                    .operands = rewriter.map_operands(id),
                    .attributes = old.attributes};
    // Each rule makes the node simpler, so this ends.
    bool changed = false;
    while (!node.value.valid() &&
           std::ranges::any_of(kRules, [&](auto rule) { return rule(node); })) {
      changed = true;
    }
    if (!changed) return false;
    if (!node.value.valid()) {
      node.value = rewriter.builder().add(node.op, node.operands, std::move(node.attributes));
    }
    rewriter.replace(id, node.value);
    return true;
  });
}

}  // namespace tutti::ir
