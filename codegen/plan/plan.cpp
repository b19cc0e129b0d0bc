#include <tutti/codegen/plan/plan.h>

#include <algorithm>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>

namespace tutti::codegen {

void for_each_access(const Plan& plan, const Step& step, const OnAccess& f) {
  std::visit([&](const auto& each) { each.for_each_access(plan, f); }, step);
}

namespace {

// T itself, and null for the other kinds of steps, which it names: a new one is put to the
// question.
template <class T>
struct Only {
  template <class S>
  const T* operator()(const S& step) const {
    static_assert(kKnown<S>, "may it be a launch, start, loop or branch? Then add it to kKnown");
    if constexpr (std::is_same_v<S, T>) {
      return &step;
    } else {
      return nullptr;
    }
  }
  template <class S>
  static constexpr bool kKnown =
      (std::is_same_v<S, Allocate> || std::is_same_v<S, Launch> || std::is_same_v<S, Copy> ||
       std::is_same_v<S, CollectiveStart> || std::is_same_v<S, CollectiveWait> ||
       std::is_same_v<S, Free> || std::is_same_v<S, Control>);
};

}  // namespace

const Launch* launch_of(const Step& step) { return std::visit(Only<Launch>(), step); }
Launch* launch_of(Step& step) { return const_cast<Launch*>(launch_of(std::as_const(step))); }
const CollectiveStart* start_of(const Step& step) {
  return std::visit(Only<CollectiveStart>(), step);
}
CollectiveStart* start_of(Step& step) {
  return const_cast<CollectiveStart*>(start_of(std::as_const(step)));
}
const Control* control_of(const Step& step) { return std::visit(Only<Control>(), step); }

namespace {

void collect(const Plan& plan, std::unordered_set<const Plan*>& seen, std::vector<Plan*>& out) {
  for (const std::shared_ptr<Plan>& function : plan.functions) {
    if (!seen.insert(function.get()).second) continue;
    collect(*function, seen, out);
    out.push_back(function.get());
  }
}

}  // namespace

std::vector<Plan*> nested_plans(const Plan& plan) {
  std::unordered_set<const Plan*> seen;
  std::vector<Plan*> out;
  collect(plan, seen, out);
  return out;
}

std::int64_t arena_with_functions(const Plan& plan) {
  std::unordered_map<const Plan*, std::int64_t> known;  // of the plans that were met
  const auto with_functions = [&](const Plan& of) {
    std::int64_t most = 0;
    for (const std::shared_ptr<Plan>& function : of.functions) {
      most = std::max(most, known.at(function.get()));
    }
    return of.arena_bytes + most;
  };
  for (const Plan* const function : nested_plans(plan)) {
    known.emplace(function, with_functions(*function));
  }
  return with_functions(plan);
}

bool uses_group(const Plan& plan, const ir::Group& group) {
  return std::ranges::any_of(plan.steps, [&](const Step& step) {
    const CollectiveStart* const start = start_of(step);
    if (start == nullptr) return false;
    const ir::Group& of = start->parent != nullptr ? *start->parent : *start->group;
    return of.tag == group.tag && of.ranks == group.ranks && of.stride == group.stride;
  });
}

}  // namespace tutti::codegen
