#include <tutti/ir/ops/family.h>
#include <tutti/ir/order.h>

#include <algorithm>
#include <numeric>

namespace tutti::ir::family {

namespace {

void check_order(const Inference& in) {
  check_axis(in, in.attributes.integer("axis"), in.operand(0).shape.rank());
  in.require(in.operand(0).dtype != DType::boolean, "takes numbers; cast bool first");
}

void infer_sort(Inference& in) {
  check_order(in);
  in.result(in.operand(0).dtype, in.operand(0).shape);
  in.result(DType::i64, in.operand(0).shape);
}

// The values' cotangents go where the values came from; the indices have no derivative.
void gradient_sort(Gradient& gradient) {
  gradient.operand_cotangent(
      0, put_along_axis(gradient.operand(0), gradient.result(1), gradient.cotangent(),
                        gradient.attributes.integer("axis")));
}
constexpr auto gradient_topk = gradient_sort;

// Whether `a` stands before `b`, in ascending order.
bool before(DType dtype, Cell a, Cell b) {
  const auto holds = [&](ScalarOp op, Cell x, Cell y) { return evaluate(op, dtype, {x, y}).truth; };
  const bool last = holds(ScalarOp::ne, b, b);  // NaN
  return last ? !holds(ScalarOp::ne, a, a) : holds(ScalarOp::lt, a, b);
}

void interpret_sort(Interpretation& in) {
  const Array& x = in.operand(0);
  const auto axis = static_cast<std::size_t>(in.attributes.integer("axis"));
  const bool descending = in.attributes.flag("descending");
  const std::int64_t size = x.shape().sizes()[axis];
  const std::int64_t inner = x.shape().strides()[axis];
  const DType dtype = compute_dtype(x.dtype());
  Array values(x.dtype(), x.shape());
  Array indices(DType::i64, x.shape());
  std::vector<std::int64_t> order(static_cast<std::size_t>(size));
  for (std::int64_t row = 0; size > 0 && row < x.elements() / size; ++row) {
    const std::int64_t first = row / inner * size * inner + row % inner;
    const auto element = [&](std::int64_t i) {
      return load_cell(x.dtype(), x.bytes().data() + (first + i * inner) * size_of(x.dtype()));
    };
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, [&](std::int64_t i, std::int64_t j) {
      return descending ? before(dtype, element(j), element(i))
                        : before(dtype, element(i), element(j));
    });
    for (std::int64_t i = 0; i < size; ++i) {
      const std::int64_t to = first + i * inner;
      const std::int64_t from = order[static_cast<std::size_t>(i)];
      copy_element(x, first + from * inner, values, to);
      indices.data<std::int64_t>()[static_cast<std::size_t>(to)] = from;
    }
  }
  in.result(std::move(values));
  in.result(std::move(indices));
}
constexpr void (*decompose_sort)(Decomposition&) = nullptr;

void infer_topk(Inference& in) {
  check_order(in);
  const std::int64_t k = in.attributes.integer("k");
  const auto axis = in.attributes.integer("axis");
  const Shape& shape = in.operand(0).shape;
  in.require(k >= 0 && k <= shape[static_cast<int>(axis)], [&] {
    return "k is " + std::to_string(k) + ", but axis " + std::to_string(axis) + " has " +
           std::to_string(shape[static_cast<int>(axis)]) + " elements";
  });
  std::vector<std::int64_t> sizes(shape.begin(), shape.end());
  sizes[static_cast<std::size_t>(axis)] = k;
  in.result(in.operand(0).dtype, Shape(sizes));
  in.result(DType::i64, Shape(sizes));
}
void decompose_topk(Decomposition& in) {
  const Term x = in.operand(0);
  const std::int64_t axis = in.attributes.integer("axis");
  Builder* builder = x.builder();
  const NodeId sorted = builder->node(Op::sort, {x.value()}, {axis, in.attributes.flag("largest")});
  const std::vector<std::int64_t> start(static_cast<std::size_t>(x.shape().rank()), 0);
  std::vector<std::int64_t> stop(x.shape().begin(), x.shape().end());
  stop[static_cast<std::size_t>(axis)] = in.attributes.integer("k");
  const std::vector<std::int64_t> step(start.size(), 1);
  for (const std::size_t i : {0U, 1U}) {
    const Term all(builder, builder->graph().result(sorted, i));
    in.result(all.apply(Op::slice, {start, stop, step}));
  }
}
constexpr void (*interpret_topk)(Interpretation&) = nullptr;

// The host finds a few of many without sorting them all.
bool is_topk_taken_whole(const Graph& graph, NodeId node) {
  const std::int64_t k = graph.attributes(node).integer("k");
  const auto axis = static_cast<int>(graph.attributes(node).integer("axis"));
  const Type& x = graph.type(graph.operand(node, 0));
  return x.device.is_cpu() && x.shape.elements() > 0 && k > 0 && k <= x.shape[axis] / kSearchedPart;
}
constexpr bool (*is_sort_taken_whole)(const Graph&, NodeId) = nullptr;

}  // namespace

void add_order(std::vector<Definition>& out) {
#define TUTTI_STRUCTURED(id, kind_, least, most, docs, ...) \
  out.push_back({.op = Op::id,                              \
                 .name = #id,                               \
                 .kind = OpClass::kind_,                    \
                 .least_operands = least,                   \
                 .most_operands = most,                     \
                 .attributes = __VA_ARGS__,                 \
                 .infer = infer_##id,                       \
                 .gradient = gradient_##id,                 \
                 .interpret = interpret_##id,               \
                 .decompose = decompose_##id,               \
                 .is_taken_whole = is_##id##_taken_whole,   \
                 .documentation = docs});
#include <tutti/ir/table/order.def>
#undef TUTTI_STRUCTURED
}

}  // namespace tutti::ir::family
