#include <tutti/ir/stablehlo/bits.h>
#include <tutti/ir/stablehlo/comparator.h>
#include <tutti/ir/stablehlo/layout.h>
#include <tutti/ir/stablehlo/monoid.h>
#include <tutti/ir/stablehlo/rules.h>

#include <algorithm>
#include <numeric>
#include <optional>

namespace tutti::ir::stablehlo {

namespace {

// Whether it is the operand itself, in the order of the IR's sort, which is that of what JAX
// compares: -0 as 0, every NaN as one, NaN behind all.
bool is_plain(const ComparedKey& key) {
  return key.text == "select(NE(x, x), [nan], select(EQ(x, [0]), [0], x))" ||
         (key.text == "x" && !key.total);
}

// What a comparator asks; nothing if no sorts by keys do the same.
std::optional<std::vector<ComparedKey>> keys_of_comparator(const Step& step, const Region& region) {
  const std::vector<Reference>& given = region.operations.back().operands;
  if (given.empty()) return std::nullopt;
  std::optional<std::vector<ComparedKey>> keys =
      Comparator(step, region, Comparator::Arguments::by_operand).keys(given[0]);
  const auto asks_for_nan = [](const ComparedKey& key) {
    return key.nan != ComparedKey::Nan::unordered;
  };
  if (keys && std::ranges::any_of(*keys, asks_for_nan)) return std::nullopt;
  return keys;
}

// The key of every element, in a dtype and order that the IR's sort has.
Term key_values(Step& step, const ComparedKey& key) {
  const Term x = step.operand(key.operand);
  if (is_plain(key)) return x.dtype() == DType::boolean ? cast(x, DType::u8) : x;
  Term out = x;
  if (step.translator.lifted()) step.fail("a sort within a sort's comparator");
  std::vector<Term> arguments;
  for (int i = 0; i < step.count(); ++i) {
    for (int twice = 0; twice < 2; ++twice) arguments.push_back(step.operand(i));
  }
  // The region with the key as its result.
  const Region& region = step.operation.regions[0];
  Region cut;
  cut.arguments = region.arguments;
  cut.operations.assign(region.operations.begin(), region.operations.end() - 1);
  Operation last = region.operations.back();
  last.operands = {*key.value};
  cut.operations.push_back(std::move(last));
  std::vector<Bound> bound;
  for (const Term& argument : arguments) bound.push_back({.value = argument.value()});
  out = step.translator.whole(step.translator.lifted_region(cut, bound).at(0));
  if (out.dtype() == DType::boolean) return cast(out, DType::u8);
  return key.total && is_floating(out.dtype()) ? ordered_bits(out) : out;
}

// Any comparator: it is asked for every two elements along the axis, and the place of an element is
// the number of those that come before it. The places that the sorted elements come from.
Term order_by_counting(Step& step, std::int64_t axis) {
  constexpr std::int64_t kMostPairs = std::int64_t{1} << 24;
  if (step.translator.lifted()) step.fail("a sort within a sort's comparator");
  const Shape& shape = step.operand(0).shape();
  const int rank = shape.rank();
  const std::int64_t size = shape[static_cast<int>(axis)];
  if (rank == Shape::kMaxRank || (size > 0 && shape.elements() > kMostPairs / size)) {
    step.fail(
        "this comparator is supported for few elements only; for more it may compare one or "
        "several keys, one after another, each a function of one operand");
  }
  List order = others(rank, {axis});
  order.push_back(axis);
  std::vector<Term> arguments;
  List pairs;
  for (const Term& operand : step.operands()) {
    const Term x = transposed(operand, order);
    List first = sizes_of(x.shape());
    List second = first;
    first.push_back(1);
    second.insert(second.end() - 1, 1);
    arguments.push_back(reshape(x, Shape(first)));
    arguments.push_back(reshape(x, Shape(second)));
    first.back() = size;
    pairs = first;
  }
  const Term less = broadcast_to(step.apply(0, arguments), Shape(pairs));
  List swapped(pairs.size());
  std::iota(swapped.begin(), swapped.end(), 0);
  std::swap(swapped[pairs.size() - 1], swapped[pairs.size() - 2]);
  const Term more = transposed(less, swapped);
  Builder& builder = step.builder();
  const Term earlier = places(builder, DType::i64, rank + 1, rank - 1, size) <
                       places(builder, DType::i64, rank + 1, rank, size);
  const Term before = either(less, both(earlier, more.apply(Op::logical_not)));
  const Term place = sum(cast(before, DType::i64), {rank - 1});
  const NodeId sorted = builder.node(Op::sort, {place.value()}, {std::int64_t{rank - 1}});
  List back(order.size());
  for (std::size_t d = 0; d < order.size(); ++d) {
    back[static_cast<std::size_t>(order[d])] = static_cast<std::int64_t>(d);
  }
  return transposed(Term(&builder, builder.graph().result(sorted, 1)), back);
}

void sort(Step& step) {
  const int rank = step.operand(0).shape().rank();
  std::int64_t axis = step.integer("dimension", std::int64_t{-1});
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank || step.operation.regions.size() != 1) {
    step.fail("expected a dimension of the operands and a region");
  }
  const Region& region = step.operation.regions[0];
  if (std::ssize(region.arguments) != 2 * step.count() || region.operations.empty()) {
    step.fail("a comparator has two arguments for each operand");
  }
  const std::optional<std::vector<ComparedKey>> known = keys_of_comparator(step, region);
  if (!known) {
    const Term order = order_by_counting(step, axis);
    for (int i = 0; i < step.count(); ++i) {
      step.result(apply(Op::take_along_axis, step.operand(i), order, {axis}));
    }
    return;
  }
  const std::vector<ComparedKey>& keys = *known;
  Builder& builder = step.builder();
  const auto sorted = [&](Term x, bool descending) {
    const NodeId node = builder.node(Op::sort, {x.value()}, {axis, descending});
    return std::pair(Term(&builder, builder.graph().result(node, 0)),
                     Term(&builder, builder.graph().result(node, 1)));
  };
  const auto taken = [&](Term x, Term places) {
    return apply(Op::take_along_axis, x, places, {axis});
  };
  // By the last key first: later sorts keep the order of equal elements.
  Term order;
  for (std::size_t i = keys.size(); i-- > 0;) {
    Term values = key_values(step, keys[i]);
    if (order.valid()) values = taken(values, order);
    const auto [in_order, places] = sorted(values, keys[i].descending);
    if (step.count() == 1 && keys.size() == 1 && is_plain(keys[0]) &&
        in_order.dtype() == step.dtype()) {
      step.result(in_order);
      return;
    }
    order = order.valid() ? taken(order, places) : places;
  }
  for (int i = 0; i < step.count(); ++i) step.result(taken(step.operand(i), order));
}

// The k largest or smallest elements along an axis and where they stood. Floats may be in their
// total order: -0 before 0, and NaNs of either sign at the ends.
struct Extremes {
  Term values, places;
};
Extremes extremes(Step& step, Term x, std::int64_t k, std::int64_t axis, bool largest, bool total) {
  Term key = x;
  if (x.dtype() == DType::boolean) key = cast(x, DType::u8);
  if (total && is_floating(x.dtype())) key = ordered_bits(x);
  Builder& builder = step.builder();
  const NodeId node = builder.node(Op::topk, {key.value()}, {k, axis, largest});
  const Term found(&builder, builder.graph().result(node, 0));
  const Term places(&builder, builder.graph().result(node, 1));
  const bool direct = key.value() == x.value();
  return {direct ? found : apply(Op::take_along_axis, x, places, {axis}), places};
}

void top_k(Step& step) {
  const Term x = step.operand(0);
  if (x.shape().rank() == 0) step.fail("of a scalar");
  const bool largest = step.find("largest") == nullptr || step.flag("largest");
  const auto [values, places] =
      extremes(step, x, step.integer("k"), x.shape().rank() - 1, largest, true);
  step.result(values);
  step.result(cast(places, step.dtype(1)));
}

// The largest or smallest elements, by how the comparator compares its first two arguments. They
// are found exactly, as on the CPU.
void approximate_top_k(Step& step) {
  const Attribute& facts = step.get("mhlo.backend_config");
  const Attribute* const k = facts.find("top_k");
  const Attribute* const axis = facts.find("reduction_dim");
  const Attribute& called = step.get("called_computations");
  const auto& functions = step.translator.module().function_of;
  const auto found =
      functions.find(called.items.size() == 1 ? called.items[0].text : std::string());
  if (k == nullptr || axis == nullptr || found == functions.end() || step.count() != 4) {
    step.fail("@ApproxTopK: expected top_k, reduction_dim and a comparator for two operands");
  }
  const RegionText text(step.translator.module().functions[found->second].body,
                        constants_around(step));
  const std::string comparison = text.returned(0);
  const bool largest = comparison.starts_with("GT");
  const bool total = comparison.ends_with(" in total order(0, 1)");
  if ((!largest && !comparison.starts_with("LT")) ||
      (!total && comparison != std::string(largest ? "GT" : "LT") + "(0, 1)")) {
    step.fail("@ApproxTopK: a comparator that does not compare its first two arguments");
  }
  const auto [values, places] =
      extremes(step, step.operand(0), k->integer, axis->integer, largest, total);
  step.result(values);
  step.result(apply(Op::take_along_axis, step.operand(1), places, {axis->integer}));
}

constexpr Rule kOrderRules[] = {
    {"chlo.approximate_top_k", approximate_top_k},
    {"chlo.top_k", top_k},
    {"stablehlo.sort", sort},
};

}  // namespace

std::span<const Rule> order_rules() { return kOrderRules; }

}  // namespace tutti::ir::stablehlo
