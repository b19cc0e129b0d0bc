#include <tutti/codegen/plan/equal_plans.h>
#include <tutti/ir/names.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <utility>

namespace tutti::codegen {

namespace {

// Null equals null only.
template <class T>
bool same(const std::shared_ptr<const T>& a, const std::shared_ptr<const T>& b) {
  return a == b || (a != nullptr && b != nullptr && *a == *b);
}

bool same(const PlanResult& a, const PlanResult& b) {
  return a.buffer == b.buffer && a.type == b.type && a.work == b.work;
}
bool same(const Donation& a, const Donation& b) {
  return a.input == b.input && a.buffer == b.buffer;
}
bool same(const PlanDevice& a, const PlanDevice& b) {
  return a.device == b.device && a.arena_bytes == b.arena_bytes && a.target == b.target;
}
// The text is a kernel's identity.
bool same(const Kernel& a, const Kernel& b) { return print(a) == print(b); }

// "step 4": the first that differs or has no counterpart; empty if there is none.
template <class T, class Same>
std::string first_of(const std::string& what, const std::vector<T>& a, const std::vector<T>& b,
                     Same&& same_pair) {
  const auto [in_a, in_b] = std::ranges::mismatch(a, b, same_pair);
  if (in_a == a.end() && in_b == b.end()) return "";
  return what + std::to_string(in_a - a.begin());
}
template <class T>
std::string first_of(const std::string& what, const std::vector<T>& a, const std::vector<T>& b) {
  return first_of(what, a, b, [](const T& x, const T& y) { return same(x, y); });
}

bool same_head(const Plan& a, const Plan& b) {
  return a.name == b.name && a.rank == b.rank && same(a.mesh, b.mesh) && a.works == b.works &&
         a.arena_bytes == b.arena_bytes && first_of("", a.devices, b.devices).empty();
}

// Compares plans with their functions: each pair once, whatever numbers the plans know them by.
class Comparison {
 public:
  // The first difference, empty if there is none.
  std::string compare(const Plan& a, const Plan& b) {
    if (&a == &b || equal_.contains({&a, &b})) return "";
    if (!same_head(a, b)) return "the head";
    for (const std::string& place : {first_of("input ", a.inputs, b.inputs, std::equal_to()),
                                     first_of("constant ", a.constants, b.constants),
                                     first_of("buffer b", a.buffers, b.buffers, std::equal_to()),
                                     first_of("kernel k", a.kernels, b.kernels),
                                     first_of("donation ", a.donations, b.donations),
                                     first_of("result ", a.results, b.results)}) {
      if (!place.empty()) return place;
    }
    std::string inside;  // where in a function, if that is what a step differs in
    const std::string step = first_of("step ", a.steps, b.steps, [&](const Step& x, const Step& y) {
      inside = compare_functions(a, x, b, y);
      return inside.empty() && equal_step(x, y);
    });
    if (!step.empty()) return inside.empty() ? step : inside;
    equal_.emplace(&a, &b);
    return "";
  }

 private:
  static bool equal_step(const Step& x, const Step& y) {
    if (x.index() != y.index()) return false;
    return std::visit([&]<class T>(const T& step) { return step.same(std::get<T>(y)); }, x);
  }

  // In the functions that both steps run: "step 0 of @cell".
  std::string compare_functions(const Plan& a, const Step& x, const Plan& b, const Step& y) {
    const Control* const in_a = control_of(x);
    const Control* const in_b = control_of(y);
    if (in_a == nullptr || in_b == nullptr) return "";
    const std::size_t both = std::min(in_a->functions.size(), in_b->functions.size());
    for (std::size_t i = 0; i < both; ++i) {
      const Plan& function = *a.functions[static_cast<std::size_t>(in_a->functions[i])];
      std::string place =
          compare(function, *b.functions[static_cast<std::size_t>(in_b->functions[i])]);
      if (place.empty()) continue;
      return place.find(" of @") == place.npos ? place + " of @" + ir::name_or_quoted(function.name)
                                               : place;
    }
    return "";
  }

  std::set<std::pair<const Plan*, const Plan*>> equal_;  // that are known to be
};

}  // namespace

std::string first_difference(const Plan& a, const Plan& b) { return Comparison().compare(a, b); }

bool structurally_equal(const Plan& a, const Plan& b) { return first_difference(a, b).empty(); }

}  // namespace tutti::codegen
