// What a PlanFrame does for kernels that go over the results of collectives.

#include <tutti/ir/support/error.h>
#include <tutti/runtime/run/plan_frame.h>

namespace tutti::runtime {

// From the start on, as the collective may be carried out before kernels that are launched behind
// it, and what those use is not free yet.
void PlanFrame::allocate_for(const BoundFollower& follower) {
  for (const BoundFollower::Argument& argument : follower.arguments) {
    if (argument.allocates) allocate(argument.buffer);
  }
}

std::vector<void*> PlanFrame::arguments_of(const BoundFollower& follower, void* result) const {
  std::byte* const arena = this->arena(follower.device);
  std::vector<void*> out;
  for (const BoundFollower::Argument& argument : follower.arguments) {
    if (argument.is_result) {
      if (result != nullptr) out.push_back(result);
    } else {
      out.push_back(argument.offset >= 0 ? arena + argument.offset
                                         : addresses_[at(argument.buffer)]);
    }
  }
  return out;
}

// The arguments are there since the start. Those on the host hear of it first here, so that a run
// that breaks off before leaves nothing behind that writes to its memory.
bool PlanFrame::wait_with_follower(Work& pending, const BoundFollower& follower) {
  BoundEpilogue epilogue{.kernels = follower.fused, .arguments = arguments_of(follower, nullptr)};
  for (const BoundFollower::Argument& argument : follower.arguments) {
    if (argument.offset < 0 && !argument.is_result) epilogue.held.push_back(held(argument.buffer));
  }
  struct End {
    Work& work;
    ~End() { work.follow_with(nullptr); }
  } const end{pending};
  // What is profiled is launched on its own.
  if (follower.fused != nullptr && profile == nullptr && !follower.blocks) {
    pending.follow_with(&epilogue);
  }
  wait_for(pending, profile == nullptr ? nullptr : profile->profile.get());
  return epilogue.done;
}

void PlanFrame::launch_follower(const BoundFollower& follower, void* result) {
  Accelerator& accelerator = context_.accelerator(follower.device);
  const std::vector<void*> arguments = arguments_of(follower, result);
  if (!follower.blocks) {
    return launch_on(accelerator, follower.launch, *follower.code, arguments.data());
  }
  try {
    launch_on(accelerator, follower.launch, *follower.code, arguments.data());
    accelerator.synchronize();
  } catch (const OutOfMemoryError&) {
    throw;
  } catch (const EnvironmentError& error) {
    throw EnvironmentError(follower.name + " on " + follower.device.text() + ": " + error.message(),
                           follower.location);
  }
}

}  // namespace tutti::runtime
