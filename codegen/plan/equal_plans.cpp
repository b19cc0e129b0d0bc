#include <tutti/codegen/plan/equal_plans.h>
#include <tutti/ir/names.h>

#include <algorithm>
#include <functional>
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
bool same(const PlanArea& a, const PlanArea& b) {
  return a.member == b.member && a.device == b.device && same(a.group, b.group) &&
         a.bytes == b.bytes && a.placement == b.placement;
}
// The text is a kernel's identity.
bool same(const Kernel& a, const Kernel& b) { return print(a) == print(b); }
bool same(const Region& a, const Region& b);
bool same(const Step& a, const Step& b);

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
         a.arena_bytes == b.arena_bytes && first_of("", a.devices, b.devices).empty() &&
         first_of("", a.areas, b.areas).empty();
}

bool same(const Region& a, const Region& b) {
  return a.name == b.name && a.first_step == b.first_step && a.end_step == b.end_step &&
         a.first_buffer == b.first_buffer && a.end_buffer == b.end_buffer &&
         a.parameters == b.parameters && a.inputs == b.inputs &&
         first_of("", a.results, b.results).empty() &&
         first_of("", a.donations, b.donations).empty();
}

bool same(const Step& a, const Step& b) {
  if (a.index() != b.index()) return false;
  return std::visit([&]<class T>(const T& step) { return step.same(std::get<T>(b)); }, a);
}

}  // namespace

std::string first_difference(const Plan& a, const Plan& b) {
  if (&a == &b) return "";
  if (!same_head(a, b)) return "the head";
  for (const std::string& place :
       {first_of("input ", a.inputs, b.inputs, std::equal_to()),
        first_of("constant ", a.constants, b.constants),
        first_of("buffer b", a.buffers, b.buffers, std::equal_to()),
        first_of("kernel k", a.kernels, b.kernels), first_of("step ", a.steps, b.steps),
        first_of("region r", a.regions, b.regions), first_of("donation ", a.donations, b.donations),
        first_of("result ", a.results, b.results)}) {
    if (!place.empty()) return place;
  }
  return "";
}

bool structurally_equal(const Plan& a, const Plan& b) { return first_difference(a, b).empty(); }

}  // namespace tutti::codegen
