#include <tutti/ir/neutral.h>
#include <tutti/ir/stablehlo/constants.h>
#include <tutti/ir/stablehlo/monoid.h>

#include <cmath>
#include <limits>

namespace tutti::ir::stablehlo {

namespace {

constexpr Monoid kMonoids[] = {
    {"add", Op::sum, false, 0},
    {"multiply", Op::prod, false, 1},
    {"maximum", Op::max, false, -kInfinity},
    {"minimum", Op::min, false, kInfinity},
    {"or", Op::any, true, 0},
    {"add", Op::any, true, 0},
    {"maximum", Op::any, true, 0},
    {"and", Op::all, true, 1},
    {"multiply", Op::all, true, 1},
    {"minimum", Op::all, true, 1},
};

}  // namespace

std::optional<Monoid> monoid_of(const Step& step, std::size_t region, DType dtype) {
  const std::string_view name = step.combination(region);
  for (const Monoid& monoid : kMonoids) {
    if (monoid.name == name && monoid.truths == (dtype == DType::boolean)) return monoid;
  }
  return std::nullopt;
}

Array identity_of(const Monoid& monoid, DType dtype) {
  if (!std::isinf(monoid.identity)) return Array::scalar_of(dtype, monoid.identity);
  return neutral(monoid.identity < 0 ? ScalarOp::maximum : ScalarOp::minimum, dtype);
}

const Array* constant_of(const Graph& graph, Value value) {
  const NodeId producer = graph.producer(value);
  const Op op = graph.node(producer).op;
  if (op == Op::broadcast_to) {
    const Array* const array = constant_of(graph, graph.operand(producer, 0));
    return array != nullptr && array->elements() == 1 ? array : nullptr;
  }
  return op == Op::constant ? &graph.attributes(producer).array("value") : nullptr;
}

RegionText::Around constants_around(const Step& step) {
  return [&translator = step.translator](const Reference& reference) -> const Array* {
    const Bound* const bound = translator.find(reference);
    if (bound == nullptr || !bound->value.valid()) return nullptr;
    return constant_of(translator.builder().graph(), bound->value);
  };
}

bool is_constant(const Graph& graph, Value value, const Array& number) {
  const Array* const array = constant_of(graph, value);
  return array != nullptr && array->elements() == 1 && array->reshaped({}) == number;
}

}  // namespace tutti::ir::stablehlo
