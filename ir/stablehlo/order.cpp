#include <tutti/ir/stablehlo/bits.h>
#include <tutti/ir/stablehlo/expression.h>
#include <tutti/ir/stablehlo/layout.h>
#include <tutti/ir/stablehlo/monoid.h>
#include <tutti/ir/stablehlo/rules.h>

#include <numeric>
#include <optional>

namespace tutti::ir::stablehlo {

namespace {

// What a sort compares first, second, ...: a function of one operand.
struct Key {
  int operand = 0;
  bool descending = false;
  bool plain = false;                // the operand itself, in the order of the IR's sort
  bool total = false;                // in the total order of floats
  const Reference* value = nullptr;  // in the region, else: of the operand's first element
};

// Reads a comparator: LT(f(a), f(b)), and or(LT(f(a), f(b)), and(EQ(f(a), f(b)), ...)).
class Comparator {
 public:
  Comparator(const Step& step, const Region& region) : text_(region, constants_around(step)) {}

  // Nothing if it compares in another way.
  std::optional<std::vector<Key>> keys() {
    const Reference* const result = text_.result(0);
    if (result == nullptr || !append(*result, 0)) return std::nullopt;
    return std::move(keys_);
  }

 private:
  bool append(const Reference& reference, int depth) {
    const Operation* const operation = text_.definition(reference);
    if (operation == nullptr || depth > 32 || operation->operands.size() != 2) return false;
    if (operation->name == "stablehlo.compare") return append_key(*operation);
    if (operation->name != "stablehlo.or") return false;
    for (const bool swapped : {false, true}) {
      const Reference& first = operation->operands[swapped ? 1 : 0];
      const Reference& second = operation->operands[swapped ? 0 : 1];
      const Operation* const less = text_.definition(first);
      const Operation* const rest = text_.definition(second);
      if (less == nullptr || rest == nullptr || less->name != "stablehlo.compare" ||
          rest->name != "stablehlo.and" || rest->operands.size() != 2) {
        continue;
      }
      for (const std::size_t equal : {0U, 1U}) {
        const Operation* const same = text_.definition(rest->operands[equal]);
        if (same == nullptr || same->name != "stablehlo.compare" || direction_of(*same) != "EQ" ||
            !same_operands(*same, *less)) {
          continue;
        }
        return append_key(*less) && append(rest->operands[1 - equal], depth + 1);
      }
    }
    return false;
  }

  bool same_operands(const Operation& a, const Operation& b) const {
    if (a.operands.size() != 2 || b.operands.size() != 2) return false;
    for (const std::size_t i : {0U, 1U}) {
      const std::string text = text_.of(a.operands[i]);
      if (text.empty() || text != text_.of(b.operands[i])) return false;
    }
    return true;
  }

  // The one argument that a value is computed from; -1: several or none.
  int source(const Reference& reference, int depth = 0) {
    if (const int argument = text_.argument(reference); argument >= 0) return argument;
    if (text_.is_constant_around(reference)) return -2;
    const Operation* const operation = text_.definition(reference);
    if (operation == nullptr || depth > 32) return -1;
    if (const auto known = sources_.find(operation); known != sources_.end()) return known->second;
    int out = -2;  // none yet
    for (const Reference& operand : operation->operands) {
      const int from = source(operand, depth + 1);
      if (from == -1 || (from >= 0 && out >= 0 && from != out)) {
        out = -1;
        break;
      }
      if (from >= 0) out = from;
    }
    sources_[operation] = out;
    return out;
  }

  bool append_key(const Operation& compare) {
    if (compare.operands.size() != 2) return false;
    const std::string direction = direction_of(compare);
    const int a = source(compare.operands[0]);
    const int b = source(compare.operands[1]);
    if (a < 0 || b < 0 || a / 2 != b / 2 || a == b) return false;
    bool descending = direction == "GT" || direction == "GE";
    if (!descending && direction != "LT" && direction != "LE") return false;
    const bool swapped = a % 2 == 1;
    if (swapped) descending = !descending;
    // Both sides are one function, of the first and the second element.
    const Reference& first = compare.operands[swapped ? 1 : 0];
    const Reference& second = compare.operands[swapped ? 0 : 1];
    if (renamed(text_.of(first), 2 * (a / 2)) != renamed(text_.of(second), 2 * (a / 2) + 1)) {
      return false;
    }
    const std::string text = renamed(text_.of(first), 2 * (a / 2));
    // What JAX compares: -0 as 0, every NaN as one, NaN behind all.
    const bool canonical = text == "select(NE(x, x), [nan], select(EQ(x, [0]), [0], x))";
    keys_.push_back({.operand = a / 2,
                     .descending = descending,
                     .plain = canonical || (text == "x" && kind_of(compare) != "TOTALORDER"),
                     .total = kind_of(compare) == "TOTALORDER",
                     .value = &first});
    return true;
  }

  // The text with that argument called x.
  static std::string renamed(const std::string& text, int argument) {
    const std::string number = std::to_string(argument);
    std::string out;
    bool in_constant = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool begins = i == 0 || text[i - 1] == '(' || text[i - 1] == ' ';
      const std::size_t end = i + number.size();
      const bool ends = end >= text.size() || text[end] == ',' || text[end] == ')';
      if (text[i] == '[') in_constant = true;
      if (text[i] == ']') in_constant = false;
      if (!in_constant && begins && ends && text.compare(i, number.size(), number) == 0) {
        out += 'x';
        i = end - 1;
      } else {
        out += text[i];
      }
    }
    return out;
  }

  RegionText text_;
  std::vector<Key> keys_;
  std::unordered_map<const Operation*, int> sources_;
};

// The key of every element, in a dtype and order that the IR's sort has.
Term key_values(Step& step, const Key& key) {
  const Term x = step.operand(key.operand);
  if (key.plain) return x.dtype() == DType::boolean ? cast(x, DType::u8) : x;
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
  const std::optional<std::vector<Key>> known = Comparator(step, region).keys();
  if (!known) {
    const Term order = order_by_counting(step, axis);
    for (int i = 0; i < step.count(); ++i) {
      step.result(apply(Op::take_along_axis, step.operand(i), order, {axis}));
    }
    return;
  }
  const std::vector<Key>& keys = *known;
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
    if (step.count() == 1 && keys.size() == 1 && keys[0].plain &&
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
