#include <tutti/ir/stablehlo/expression.h>
#include <tutti/ir/stablehlo/layout.h>
#include <tutti/ir/stablehlo/monoid.h>
#include <tutti/ir/stablehlo/rules.h>

#include <algorithm>
#include <cmath>

namespace tutti::ir::stablehlo {

namespace {

std::vector<Term> apply_to_pairs(Step& step, const std::vector<Term>& a,
                                 const std::vector<Term>& b) {
  std::vector<Term> both = a;
  both.insert(both.end(), b.begin(), b.end());
  return step.apply(0, both, a.size());
}

// Any region: neighbours along the last axis are combined until one element is left, in
// log2(elements) steps.
std::vector<Term> by_pairs(Step& step, std::vector<Term> x) {
  const int axis = x[0].shape().rank() - 1;
  for (std::int64_t size = x[0].shape()[axis]; size > 1; size = x[0].shape()[axis]) {
    std::vector<Term> even;
    std::vector<Term> odd;
    for (const Term& each : x) {
      even.push_back(along(each, axis, 0, size / 2 * 2, 2));
      odd.push_back(along(each, axis, 1, size / 2 * 2, 2));
    }
    std::vector<Term> next = apply_to_pairs(step, even, odd);
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (size % 2 == 0) continue;
      next[i] = concatenated({next[i], along(x[i], axis, size - 1, size)}, axis);
    }
    x = std::move(next);
  }
  return x;
}

// x with its reduced axes as one, the last.
Term reduced_axes_last(Term x, const List& axes) {
  List order = others(x.shape().rank(), axes);
  List sizes;
  for (const std::int64_t axis : order) sizes.push_back(x.shape()[static_cast<int>(axis)]);
  std::int64_t count = 1;
  for (const std::int64_t axis : axes) count *= x.shape()[static_cast<int>(axis)];
  order.insert(order.end(), axes.begin(), axes.end());
  sizes.push_back(count);
  return reshape(transposed(x, order), Shape(sizes));
}

void reduce_by_region(Step& step, const List& axes, int count) {
  std::vector<Term> x;
  std::vector<Term> initial;
  for (int i = 0; i < count; ++i) {
    if (step.operand(i).shape() != step.operand(0).shape()) {
      step.fail("the operands must have one shape");
    }
    x.push_back(reduced_axes_last(step.operand(i), axes));
    initial.push_back(
        broadcast_to(step.operand(count + i), step.shape(static_cast<std::size_t>(i))));
  }
  if (x[0].shape()[x[0].shape().rank() - 1] == 0) {
    for (const Term& each : initial) step.result(each);
    return;
  }
  x = by_pairs(step, std::move(x));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = reshape(x[i], step.shape(i));
  for (const Term& each : apply_to_pairs(step, initial, x)) step.result(each);
}

bool is_iota_along(const Graph& graph, Value value, std::int64_t axis) {
  const NodeId producer = graph.producer(value);
  return graph.node(producer).op == Op::iota && graph.attributes(producer).integer("axis") == axis;
}

// What JAX makes of argmax and argmin: of the larger or smaller values, NaN before all, the one
// with the lower index.
bool reduce_to_index(Step& step, const List& axes) {
  const Term x = step.operand(0);
  const Term index = step.operand(1);
  const Graph& graph = step.builder().graph();
  if (axes.size() != 1 || x.dtype() == DType::boolean ||
      x.shape()[static_cast<int>(axes[0])] == 0 || !is_iota_along(graph, index.value(), axes[0]) ||
      !is_constant(graph, step.operand(3).value(), Array::scalar_of(index.dtype(), 0))) {
    return false;
  }
  const RegionText text(step.operation.regions[0], constants_around(step));
  for (const bool largest : {true, false}) {
    const std::string first = "or(" + std::string(largest ? "GT" : "LT") + "(0, 2), NE(0, 0))";
    if (text.returned(0) != "select(" + first + ", 0, 2)" ||
        text.returned(1) != "select(or(" + first + ", and(EQ(0, 2), LT(1, 3))), 1, 3)") {
      continue;
    }
    const Monoid extreme{"", largest ? Op::max : Op::min, false, largest ? -INFINITY : INFINITY};
    if (!is_constant(graph, step.operand(2).value(), identity_of(extreme, x.dtype()))) return false;
    step.result(x.apply(extreme.reduction, {axes, false}));
    const Term place = x.apply(largest ? Op::argmax : Op::argmin, {axes[0], false});
    step.result(cast(place, index.dtype()));
    return true;
  }
  return false;
}

void reduce(Step& step) {
  List axes = step.integers("dimensions");
  std::ranges::sort(axes);
  const int count = step.count() / 2;
  if (count == 0 || step.count() % 2 != 0 || step.operation.regions.size() != 1) {
    step.fail("expected operands, as many initial values and a region");
  }
  const int rank = step.operand(0).shape().rank();
  for (const std::int64_t axis : axes) {
    if (axis < 0 || axis >= rank)
      step.fail("dimension " + std::to_string(axis) + " of an operand of rank " +
                std::to_string(rank));
  }
  if (count == 2 && reduce_to_index(step, axes)) return;
  const Term x = step.operand(0);
  const std::optional<Monoid> monoid = count == 1 ? monoid_of(step, 0, x.dtype()) : std::nullopt;
  const bool empty = x.shape().elements() == 0;
  if (!monoid || (empty && (monoid->reduction == Op::max || monoid->reduction == Op::min))) {
    reduce_by_region(step, axes, count);
    return;
  }
  const Term initial = step.operand(1);
  Term out = axes.empty() ? x : x.apply(monoid->reduction, {axes, false});
  if (!is_constant(step.builder().graph(), initial.value(), identity_of(*monoid, x.dtype()))) {
    const Term both[] = {broadcast_to(initial, out.shape()), out};
    out = step.apply(0, both);
  }
  step.result(out);
}

// One operation applied to the elements of tensors.
void map(Step& step) {
  const std::vector<Term> operands = step.operands();
  step.result(broadcast_to(step.apply(0, operands), step.shape()));
}

constexpr Rule kReductionRules[] = {
    {"stablehlo.map", map},
    {"stablehlo.reduce", reduce},
};

}  // namespace

std::span<const Rule> reduction_rules() { return kReductionRules; }

}  // namespace tutti::ir::stablehlo
