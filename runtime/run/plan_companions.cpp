// What a PlanFrame does for kernels that go with collectives.

#include <tutti/ir/support/error.h>
#include <tutti/runtime/run/plan_frame.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace tutti::runtime {

// From the start on, as the collective may be carried out before kernels that are launched behind
// it, and what those use is not free yet.
void PlanFrame::allocate_for(const BoundCompanion& companion) {
  for (const BoundCompanion::Argument& argument : companion.arguments) {
    if (argument.allocates) allocate(argument.buffer);
  }
}

std::vector<void*> PlanFrame::arguments_of(const BoundCompanion& companion, void* shared) const {
  std::byte* const arena = this->arena(companion.device);
  std::vector<void*> out;
  for (const BoundCompanion::Argument& argument : companion.arguments) {
    if (argument.is_shared) {
      if (shared != nullptr) out.push_back(shared);
    } else {
      out.push_back(argument.offset >= 0 ? arena + argument.offset
                                         : addresses_[at(argument.buffer)]);
    }
  }
  return out;
}

// The collective keeps its operand and result itself.
std::vector<std::shared_ptr<Buffer>> PlanFrame::held_by(const BoundCompanion& companion) const {
  std::vector<std::shared_ptr<Buffer>> out;
  for (const BoundCompanion::Argument& argument : companion.arguments) {
    if (argument.offset < 0 && !argument.is_shared) out.push_back(held(argument.buffer));
  }
  return out;
}

std::shared_ptr<const BoundLeader> PlanFrame::begin_leader(const BoundCompanion& leader) {
  allocate_for(leader);
  const auto shared = std::ranges::find_if(leader.arguments, &BoundCompanion::Argument::is_shared);
  if (!may_fuse(leader)) {
    launch_alone(leader, addresses_[at(shared->buffer)]);
    return nullptr;
  }
  return std::make_shared<const BoundLeader>(
      BoundLeader{.kernels = leader.fused,
                  .alone = leader.code,
                  .arguments = arguments_of(leader, addresses_[at(shared->buffer)]),
                  .operand = static_cast<std::size_t>(shared - leader.arguments.begin()),
                  .held = held_by(leader)});
}

// The arguments are there since the start. Those on the host hear of it first here, so that a run
// that breaks off before leaves nothing behind that writes to its memory.
bool PlanFrame::wait_with_follower(Work& pending, const BoundCompanion& follower) {
  BoundFollower bound{.kernels = follower.fused,
                      .arguments = arguments_of(follower, nullptr),
                      .held = held_by(follower)};
  struct End {
    Work& work;
    ~End() { work.follow_with(nullptr); }
  } const end{pending};
  // What is profiled is launched on its own.
  if (may_fuse(follower)) pending.follow_with(&bound);
  wait_for(pending, profile == nullptr ? nullptr : profile->profile.get());
  return bound.done;
}

void PlanFrame::launch_alone(const BoundCompanion& companion, void* shared) {
  Accelerator& accelerator = context_.accelerator(companion.device);
  const std::vector<void*> arguments = arguments_of(companion, shared);
  if (!companion.blocks) {
    return launch_on(accelerator, companion.launch, *companion.code, arguments.data());
  }
  try {
    launch_on(accelerator, companion.launch, *companion.code, arguments.data());
    accelerator.synchronize();
  } catch (const OutOfMemoryError&) {
    throw;
  } catch (const EnvironmentError& error) {
    throw EnvironmentError(
        companion.name + " on " + companion.device.text() + ": " + error.message(),
        companion.location);
  }
}

}  // namespace tutti::runtime
