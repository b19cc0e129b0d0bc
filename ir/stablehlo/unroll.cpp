#include <tutti/ir/stablehlo/monoid.h>
#include <tutti/ir/stablehlo/steps.h>
#include <tutti/ir/stablehlo/unroll.h>

#include <algorithm>
#include <set>

namespace tutti::ir::stablehlo {

namespace {

constexpr std::int64_t kMostUnrolledSteps = 1024;

// Whether a region communicates, or a function that it calls.
class Communication {
 public:
  explicit Communication(const TreeModule& module) : module_(module) {}

  bool in(const Region& region) {
    return std::ranges::any_of(region.operations, [&](const Operation& operation) {
      return is_collective(operation) || in_callee(operation) ||
             std::ranges::any_of(operation.regions, [&](const Region& each) { return in(each); });
    });
  }

 private:
  // A manual computation may have its results put together.
  static bool is_collective(const Operation& operation) {
    constexpr std::string_view kNames[] = {
        "sdy.manual_computation",      "stablehlo.all_gather",     "stablehlo.all_reduce",
        "stablehlo.all_to_all",        "stablehlo.reduce_scatter", "stablehlo.collective_broadcast",
        "stablehlo.collective_permute"};
    if (std::ranges::find(kNames, operation.name) != std::end(kNames)) return true;
    return std::ranges::any_of(operation.attributes.items, [](const Attribute& item) {
      return item.kind == Attribute::Kind::symbol && item.text == "SPMDShardToFullShape";
    });
  }

  bool in_callee(const Operation& operation) {
    if (operation.name != "func.call" && operation.name != "stablehlo.composite") return false;
    return std::ranges::any_of(operation.attributes.items, [&](const Attribute& item) {
      if (item.kind != Attribute::Kind::symbol || !seen_.insert(item.text).second) return false;
      const auto found = module_.function_of.find(item.text);
      return found != module_.function_of.end() && in(module_.functions[found->second].body);
    });
  }

  const TreeModule& module_;
  std::set<std::string_view> seen_;
};

// A counter among the arguments of a loop's regions.
struct Counter {
  std::size_t argument = 0;
  std::int64_t first = 0;
  std::int64_t by = 1;
  std::int64_t steps = 0;
};

std::optional<std::int64_t> integer_of(const Step& step, const RegionText& text,
                                       const Reference& reference) {
  const Operation* const definition = text.definition(reference);
  if (definition == nullptr) {
    const Array* const array = constants_around(step)(reference);
    return array == nullptr ? std::nullopt : integer_at(*array, 0);
  }
  const Attribute* const value = definition->attributes.find("value");
  if (definition->name != "stablehlo.constant" || value == nullptr ||
      value->kind != Attribute::Kind::array) {
    return std::nullopt;
  }
  return integer_at(*value->array, 0);
}

// Of a loop that goes on while counter < bound, and whose body adds a constant to the counter.
std::optional<Counter> counter_of(Step& step) {
  const std::vector<Region>& regions = step.operation.regions;
  const RegionText condition(regions[0], constants_around(step));
  const RegionText body(regions[1], constants_around(step));
  const Reference* const goes_on = condition.result(0);
  const Operation* const compare = goes_on == nullptr ? nullptr : condition.definition(*goes_on);
  if (compare == nullptr || compare->name != "stablehlo.compare" || compare->operands.size() != 2) {
    return std::nullopt;
  }
  const std::string direction = direction_of(*compare);
  if (direction != "LT" && direction != "GT") return std::nullopt;
  const std::size_t side = direction == "LT" ? 0 : 1;
  const int argument = condition.argument(compare->operands[side]);
  if (argument < 0) return std::nullopt;
  const Reference* const next = body.result(static_cast<std::size_t>(argument));
  const Operation* const add = next == nullptr ? nullptr : body.definition(*next);
  if (add == nullptr || add->name != "stablehlo.add" || add->operands.size() != 2) {
    return std::nullopt;
  }
  const std::size_t own = body.argument(add->operands[0]) == argument ? 0 : 1;
  if (body.argument(add->operands[own]) != argument) return std::nullopt;
  const Array* const start = constant_of(step.builder().graph(), step.operand(argument).value());
  const auto first = start == nullptr ? std::nullopt : integer_at(*start, 0);
  const auto by = integer_of(step, body, add->operands[1 - own]);
  const auto bound = integer_of(step, condition, compare->operands[1 - side]);
  if (!first || !by || !bound) return std::nullopt;
  const auto steps = steps_of(*first, *bound, *by, step.operand(argument).dtype());
  if (!steps) return std::nullopt;
  return Counter{
      .argument = static_cast<std::size_t>(argument), .first = *first, .by = *by, .steps = *steps};
}

}  // namespace

bool unroll(Step& step) {
  const Region& body = step.operation.regions[1];
  if (!Communication(step.translator.module()).in(body)) return false;
  const std::optional<Counter> counter = counter_of(step);
  if (!counter || counter->steps > kMostUnrolledSteps) return false;
  std::vector<Bound> values;
  for (const Reference& operand : step.operation.operands) {
    values.push_back(step.translator.lookup(operand));
  }
  const DType dtype = step.builder().type(values[counter->argument].value).dtype;
  // One more than the steps: the counter's last value is a result.
  for (std::int64_t i = 0;; ++i) {
    const std::int64_t number = counter->first + i * counter->by;
    values[counter->argument] = {.value = step.scalar(dtype, static_cast<double>(number)).value()};
    if (i == counter->steps) break;
    values = step.translator.region(body, values);
  }
  for (const Bound& value : values) step.result(value);
  return true;
}

}  // namespace tutti::ir::stablehlo
