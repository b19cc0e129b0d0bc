#include <tutti/ir/stablehlo/comparator.h>
#include <tutti/ir/stablehlo/monoid.h>
#include <tutti/ir/stablehlo/scatter_region.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace tutti::ir::stablehlo {

namespace {

using Keys = std::vector<ComparedKey>;

// The number of the update among the region's arguments that a value is; -1: none.
std::ptrdiff_t update_of(const Region& region, const Reference& reference) {
  const std::size_t count = region.arguments.size() / 2;
  for (std::size_t i = count; i < region.arguments.size(); ++i) {
    if (region.arguments[i].name == reference.name) return static_cast<std::ptrdiff_t>(i - count);
  }
  return -1;
}

// Reads how each operand and its update are combined.
class Combinations {
 public:
  explicit Combinations(const Step& step)
      : region_(step.operation.regions[0]),
        text_(region_, constants_around(step)),
        comparator_(step, region_, Comparator::Arguments::by_element),
        count_(static_cast<int>(region_.arguments.size() / 2)) {}

  bool are_of_any_order() {
    std::vector<Keys> choices(static_cast<std::size_t>(count_));  // empty: nothing is chosen
    for (int i = 0; i < count_; ++i) {
      const Reference* const given = text_.result(static_cast<std::size_t>(i));
      if (given == nullptr) return false;
      const Operation* const chosen = text_.definition(origin(*given, false));
      if (chosen == nullptr || chosen->name != "stablehlo.select") {
        if (!is_known(origin(*given, true), i)) return false;
        continue;
      }
      choices[static_cast<std::size_t>(i)] = keys_of(*chosen, i);
      if (choices[static_cast<std::size_t>(i)].empty()) return false;
    }
    // What decides of several operands is chosen by the same order itself.
    for (int i = 0; i < count_; ++i) {
      const Keys& keys = choices[static_cast<std::size_t>(i)];
      for (std::size_t k = 0; k < keys.size(); ++k) {
        if (keys[k].operand == i) continue;
        const Keys& others = choices[static_cast<std::size_t>(keys[k].operand)];
        if (!begin_alike(keys, others, k + 1)) return false;
      }
    }
    return true;
  }

 private:
  // What a value is, maybe a cast of. Steps are counted: a malformed text may make a value of
  // itself.
  const Reference& origin(const Reference& reference, bool casts) const {
    const Reference* out = &reference;
    for (std::size_t steps = 0; casts && steps < region_.operations.size(); ++steps) {
      const Operation* const made = text_.definition(*out);
      if (made == nullptr || made->operands.size() != 1 || made->name != "stablehlo.convert") break;
      out = &made->operands[0];
    }
    return *out;
  }

  // The arguments that two values are, if they are operand i and its update; -1 else.
  std::pair<int, int> pair_of(const Reference& first, const Reference& second, int i,
                              bool casts) const {
    const int a = text_.argument(origin(first, casts));
    const int b = text_.argument(origin(second, casts));
    const bool fits = std::min(a, b) == i && std::max(a, b) == i + count_;
    return fits ? std::pair(a, b) : std::pair(-1, -1);
  }

  // Whether a value is operand i and its update, combined by a known operation.
  bool is_known(const Reference& reference, int i) const {
    constexpr std::string_view kAnyOrder[] = {
        "stablehlo.add", "stablehlo.multiply", "stablehlo.maximum", "stablehlo.minimum",
        "stablehlo.and", "stablehlo.or",       "stablehlo.xor"};
    const Operation* const combines = text_.definition(reference);
    return combines != nullptr && combines->operands.size() == 2 &&
           std::ranges::find(kAnyOrder, combines->name) != std::end(kAnyOrder) &&
           pair_of(combines->operands[0], combines->operands[1], i, true).first >= 0;
  }

  // The keys in whose order the one of operand i and its update that comes first is chosen; none
  // if it is another choice.
  Keys keys_of(const Operation& select, int i) {
    if (select.operands.size() != 3) return {};
    const int taken = pair_of(select.operands[1], select.operands[2], i, false).first;
    std::optional<Keys> keys = comparator_.keys(select.operands[0]);
    if (taken < 0 || !keys) return {};
    if (taken != i) {
      for (ComparedKey& key : *keys) key.reverse();
    }
    return std::move(*keys);
  }

  // Whether two orders are one as far as both go, by so many keys at least.
  static bool begin_alike(const Keys& a, const Keys& b, std::size_t least) {
    const auto alike = [](const ComparedKey& x, const ComparedKey& y) {
      return x.operand == y.operand && x.descending == y.descending && x.total == y.total &&
             x.nan == y.nan && x.text == y.text;
    };
    const std::size_t common = std::min(a.size(), b.size());
    const auto end = a.begin() + static_cast<std::ptrdiff_t>(common);
    return common >= least && std::equal(a.begin(), end, b.begin(), alike);
  }

  const Region& region_;
  RegionText text_;
  Comparator comparator_;
  int count_;
};

}  // namespace

bool replaces(const Step& step) {
  const Region& region = step.operation.regions[0];
  const RegionText text(region, constants_around(step));
  const auto count = static_cast<int>(region.arguments.size() / 2);
  for (int i = 0; i < count; ++i) {
    const Reference* const given = text.result(static_cast<std::size_t>(i));
    if (given == nullptr || text.argument(*given) != count + i) return false;
  }
  return text.result(static_cast<std::size_t>(count)) == nullptr;
}

bool uses_update(const Step& step) {
  const Region& region = step.operation.regions[0];
  for (const Operation& operation : region.operations) {
    for (const Reference& operand : operation.operands) {
      if (update_of(region, operand) >= 0) return true;
    }
  }
  return false;
}

bool subtracts_update(const Step& step) {
  return step.count() == 3 &&
         RegionText(step.operation.regions[0], constants_around(step)).returned(0) ==
             "subtract(0, 1)";
}

bool any_order_will_do(const Step& step) { return Combinations(step).are_of_any_order(); }

}  // namespace tutti::ir::stablehlo
