#include <tutti/ir/passes/parts.h>

#include <algorithm>
#include <array>
#include <span>

namespace tutti::ir {

namespace {

using List = std::vector<std::int64_t>;

std::size_t at(int axis) { return static_cast<std::size_t>(axis); }

// The number of elements of the dimensions before an axis.
std::int64_t elements_before(const Shape& shape, int axis) {
  std::int64_t out = 1;
  for (int d = 0; d < axis; ++d) out *= shape[d];
  return out;
}

Shape without_axis(const Shape& shape, int axis) {
  List sizes(shape.begin(), shape.end());
  sizes.erase(sizes.begin() + axis);
  return Shape(sizes);
}

List list_of(const Shape& shape) { return {shape.begin(), shape.end()}; }

Value reshaped(Builder& builder, Value value, const Shape& shape) {
  if (builder.type(value).shape == shape) return value;
  return builder.add(Op::reshape, {value}, {list_of(shape)});
}

// A slice's attributes for a part: along the axis those given, of all else its own.
Value sliced(Builder& builder, const Attributes& attributes, Value part, const Split& split,
             const std::array<std::int64_t, 3>& along) {
  std::array<List, 3> lists = {attributes.integers("start"), attributes.integers("stop"),
                               attributes.integers("step")};
  for (std::size_t i = 0; i < lists.size(); ++i) {
    if (split.thin()) {
      lists[i].erase(lists[i].begin() + split.axis);
    } else {
      lists[i][at(split.axis)] = along[i];
    }
  }
  return builder.add(Op::slice, {part}, {lists[0], lists[1], lists[2]});
}

}  // namespace

std::optional<std::size_t> Split::part_of(std::int64_t from, std::int64_t to) const {
  for (std::size_t part = 0; part < count(); ++part) {
    if (from >= begin(part) && to <= ends[part] && from < to) return part;
  }
  return std::nullopt;
}

Split split_into_places(int axis, std::int64_t size) {
  Split out{.axis = axis, .ends = {}};
  for (std::int64_t i = 1; i <= size; ++i) out.ends.push_back(i);
  return out;
}

std::optional<Split> split_of(const Graph& graph, NodeId id) {
  const Attributes attributes = graph.attributes(id);
  const Shape& shape = graph.type(graph.result(id)).shape;
  if (shape.elements() == 0) return std::nullopt;
  if (graph.node(id).op == Op::concat) {
    const std::span<const Value> operands = graph.operands(id);
    if (operands.size() < 2 || operands.size() > kMostParts) return std::nullopt;
    Split out{.axis = static_cast<int>(attributes.integer("axis")), .ends = {}};
    std::int64_t end = 0;
    for (const Value operand : operands) {
      const std::int64_t size = graph.type(operand).shape[out.axis];
      if (size == 0) return std::nullopt;
      out.ends.push_back(end += size);
    }
    return out;
  }
  const bool has_elements = graph.type(graph.operand(id, 0)).shape.elements() > 0;
  if (graph.node(id).op != Op::pad || !has_elements) return std::nullopt;
  // Each place is a part: of several pads, which add up, each has its operand at another one.
  std::optional<Split> out;
  const List& low = attributes.integers("low");
  const List& high = attributes.integers("high");
  for (int d = 0; d < shape.rank(); ++d) {
    if (attributes.integers("interior")[at(d)] != 0 || low[at(d)] < 0 || high[at(d)] < 0) return {};
    if (low[at(d)] == 0 && high[at(d)] == 0) continue;
    if (out || std::cmp_greater(shape[d], kMostParts)) return std::nullopt;
    out = split_into_places(d, shape[d]);
  }
  return out;
}

std::optional<Split> split_through(const Graph& graph, NodeId view, const Split& split) {
  const Attributes attributes = graph.attributes(view);
  const Shape& from = graph.type(graph.operand(view, 0)).shape;
  const Shape& to = graph.type(graph.result(view)).shape;
  Split out = split;
  switch (graph.node(view).op) {
    case Op::identity:
    case Op::stop_gradient:
    case Op::vary:
      return out;
    case Op::transpose: {
      const List& permutation = attributes.integers("permutation");
      out.axis = static_cast<int>(std::ranges::find(permutation, split.axis) - permutation.begin());
      return out;
    }
    case Op::broadcast_to:
      out.axis = split.axis + to.rank() - from.rank();
      return to.elements() == 0 ? std::nullopt : std::optional(out);
    case Op::reshape:
    case Op::expand_dims:
    case Op::squeeze:
      for (out.axis = 0; out.axis < to.rank(); ++out.axis) {
        if (to[out.axis] == from[split.axis] &&
            elements_before(to, out.axis) == elements_before(from, split.axis)) {
          return out;
        }
      }
      return std::nullopt;
    case Op::reverse: {
      const List& axes = attributes.integers("axes");
      return std::ranges::find(axes, split.axis) == axes.end() ? std::optional(out) : std::nullopt;
    }
    case Op::slice: {
      const bool whole = to[split.axis] == from[split.axis] && to.elements() > 0;
      return whole ? std::optional(out) : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

std::optional<std::size_t> part_of_slice(const Graph& graph, NodeId slice, const Split& split) {
  if (graph.node(slice).op != Op::slice) return std::nullopt;
  const Attributes attributes = graph.attributes(slice);
  const std::int64_t size = graph.type(graph.result(slice)).shape[split.axis];
  const std::int64_t start = attributes.integers("start")[at(split.axis)];
  const std::int64_t step = attributes.integers("step")[at(split.axis)];
  return split.part_of(start, size == 0 ? start : start + (size - 1) * step + 1);
}

Shape part_shape(const Shape& whole, const Split& split, std::size_t part) {
  if (split.thin()) return without_axis(whole, split.axis);
  List sizes = list_of(whole);
  sizes[at(split.axis)] = split.size(part);
  return Shape(sizes);
}

Value cut(Builder& builder, Value whole, const Split& split, std::size_t part) {
  const Shape shape = builder.type(whole).shape;
  List start(at(shape.rank()), 0);
  List stop = list_of(shape);
  start[at(split.axis)] = split.begin(part);
  stop[at(split.axis)] = split.ends[part];
  const List step(start.size(), 1);
  return reshaped(builder, builder.add(Op::slice, {whole}, {start, stop, step}),
                  part_shape(shape, split, part));
}

Value put_together(Builder& builder, const std::vector<Value>& parts, const Shape& whole,
                   const Split& split) {
  std::vector<Value> operands;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    List sizes = list_of(whole);
    sizes[at(split.axis)] = split.size(part);
    operands.push_back(reshaped(builder, parts[part], Shape(sizes)));
  }
  return builder.add(Op::concat, operands, {std::int64_t{split.axis}});
}

Value view_of_part(Builder& builder, const Graph& graph, NodeId view, Value part, const Split& from,
                   const Split& to, std::size_t number) {
  const Attributes attributes = graph.attributes(view);
  const Op op = graph.node(view).op;
  const Shape shape = part_shape(graph.type(graph.result(view)).shape, to, number);
  switch (op) {
    case Op::transpose: {
      List permutation = attributes.integers("permutation");
      if (!from.thin()) return builder.add(op, {part}, {permutation});
      permutation.erase(permutation.begin() + to.axis);
      for (std::int64_t& axis : permutation) axis -= axis > from.axis ? 1 : 0;
      return builder.add(op, {part}, {permutation});
    }
    case Op::broadcast_to:
      return builder.add(op, {part}, {list_of(shape)});
    case Op::reshape:
    case Op::expand_dims:
    case Op::squeeze:
      return reshaped(builder, part, shape);
    case Op::reverse: {
      List axes = attributes.integers("axes");
      for (std::int64_t& axis : axes) axis -= from.thin() && axis > from.axis ? 1 : 0;
      return builder.add(op, {part}, {axes});
    }
    case Op::slice:
      return sliced(builder, attributes, part, from, {0, from.size(number), 1});
    default:  // the same value under another name
      return builder.add(op, {part}, graph.node(view).attributes);
  }
}

Value slice_of_part(Builder& builder, const Graph& graph, NodeId slice, Value part,
                    const Split& split, std::size_t number) {
  const Attributes attributes = graph.attributes(slice);
  const std::int64_t start = attributes.integers("start")[at(split.axis)] - split.begin(number);
  const std::int64_t step = attributes.integers("step")[at(split.axis)];
  const std::int64_t size = graph.type(graph.result(slice)).shape[split.axis];
  const Value out =
      sliced(builder, attributes, part, split, {start, start + (size - 1) * step + 1, step});
  return reshaped(builder, out, graph.type(graph.result(slice)).shape);
}

Value as_type(Builder& builder, Value value, const Type& type) {
  const Replication now = builder.type(value).replication;
  if (!now.literal && now != type.replication) {
    value = builder.vary(value,
                         static_cast<std::uint8_t>(now.dimensions & ~type.replication.dimensions));
  } else if (now.literal && !type.replication.literal) {
    value = builder.adapt(value, type.replication);
  }
  return builder.type(value) == type ? value : Value{};
}

}  // namespace tutti::ir
