#include <tutti/codegen/plan.h>

#include <algorithm>

namespace tutti::codegen {

bool writes(const Plan& plan, const LaunchPart& part, std::size_t i) {
  if (part.kernel >= 0)
    return plan.kernels[static_cast<std::size_t>(part.kernel)].buffers[i].written;
  const std::size_t own = call_buffers(plan, part);
  if (i < own) return i + static_cast<std::size_t>(part.results) >= own;
  return plan.kernels[static_cast<std::size_t>(part.epilogue)].buffers[i - own].written;
}

std::size_t call_buffers(const Plan& plan, const LaunchPart& part) {
  if (part.epilogue < 0) return part.buffers.size();
  return part.buffers.size() - plan.kernels[static_cast<std::size_t>(part.epilogue)].buffers.size();
}

namespace {

// One function for each kind of step.
struct Accesses {
  const Plan& plan;
  const std::function<void(BufferId, bool)>& f;

  void operator()(const Launch& launch) const {
    for (const bool written : {false, true}) {
      for (const LaunchPart& part : launch.parts) {
        for (std::size_t i = 0; i < part.buffers.size(); ++i) {
          if (writes(plan, part, i) != written) continue;
          // What an epilogue reads of its own call is no read of what was there before.
          const bool own = !written && part.epilogue >= 0 &&
                           part.buffers[i] == part.buffers[call_buffers(plan, part) - 1];
          if (!own) f(part.buffers[i], written);
        }
      }
    }
  }
  void operator()(const Copy& copy) const {
    f(copy.from, false);
    f(copy.to, true);
  }
  void operator()(const CollectiveStart& start) const { all(start.operands, start.results); }
  void operator()(const Control& control) const { all(control.operands, control.results); }
  void operator()(const CollectiveWait& /*wait*/) const {}
  void operator()(const Allocate& /*allocate*/) const {}
  void operator()(const Free& /*free*/) const {}

  void all(const std::vector<BufferId>& read, const std::vector<BufferId>& written) const {
    for (const BufferId buffer : read) f(buffer, false);
    for (const BufferId buffer : written) f(buffer, true);
  }
};

}  // namespace

void for_each_access(const Plan& plan, const Step& step,
                     const std::function<void(BufferId, bool)>& f) {
  std::visit(Accesses{plan, f}, step);
}

bool uses_group(const Plan& plan, const ir::Group& group) {
  return std::any_of(plan.steps.begin(), plan.steps.end(), [&](const Step& step) {
    const auto* const start = std::get_if<CollectiveStart>(&step);
    if (start == nullptr) return false;
    const ir::Group& of = start->parent != nullptr ? *start->parent : *start->group;
    return of.tag == group.tag && of.ranks == group.ranks && of.stride == group.stride;
  });
}

}  // namespace tutti::codegen
