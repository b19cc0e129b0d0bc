#include <tutti/codegen/access_history.h>
#include <tutti/codegen/cuda/fuse_collectives.h>
#include <tutti/codegen/peer_readings.h>
#include <tutti/runtime/comm/comm_kernels.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace tutti::codegen::cuda {

namespace {

// Each is a parameter of the kernel, which has room for more.
constexpr std::size_t kMostBuffers = 64;

// Whether an address walks the outer axes as a dense row-major array.
bool walks_in_order(const Kernel& kernel, const Affine& address) {
  std::int64_t step = 1;
  for (std::size_t axis = kernel.outer.size(); axis-- > 0; step *= kernel.outer[axis]) {
    if (kernel.outer[axis] != 1 && address.outer[axis] != step) return false;
  }
  return address.offset == 0;
}

class Followers {
 public:
  explicit Followers(Plan& plan) : plan_(plan), accesses_(plan.buffers.size()) {
    for (std::size_t step = 0; step < plan.steps.size(); ++step) {
      for_each_access(plan, plan.steps[step], [&](BufferId id, bool written) {
        accesses_[at(id)].push_back({.step = step, .written = written});
      });
    }
    for (const PlanResult& result : plan.results) {
      accesses_[at(result.buffer)].push_back({.step = plan.steps.size(), .written = false});
    }
  }

  void run() {
    std::vector<bool> gone(plan_.steps.size(), false);
    for (std::size_t step = 0; step < plan_.steps.size(); ++step) {
      CollectiveStart* const start = start_of(plan_.steps[step]);
      if (start == nullptr || !may_be_followed(*start)) continue;
      const std::size_t launch = reader_of(start->results[0]);
      if (launch == kNone || !may_follow(*start, step, launch)) continue;
      start->follower = std::move(launch_of(plan_.steps[launch])->parts.front());
      auto& wait = std::get<CollectiveWait>(plan_.steps[accesses_[at(start->results[0])][1].step]);
      wait.follower_reads = start->follower_buffers(plan_, false);
      wait.follower_writes = start->follower_buffers(plan_, true);
      gone[launch] = true;
    }
    erase_steps(plan_, gone);
  }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};
  struct OneAccess {
    std::size_t step;
    bool written;
  };

  bool may_be_followed(const CollectiveStart& start) const {
    const runtime::CollectiveCall& call = start.call;
    const auto members = static_cast<int>(start.group->members_with(plan_.rank).size());
    const bool is_one = start.engine == "nccl" && start.parent == nullptr &&
                        call.parts.size() == 1 && call.parts[0].sizes.empty() &&
                        start.operands.size() == 1 && start.results.size() == 1;
    if (!is_one || !runtime::is_read_whole(call, members)) return false;
    const bool combines =
        can_combine(call.reduction, call.dtype) && call.reduction != runtime::Reduction::mean;
    // What the plan makes itself lies where the others reach it.
    const auto is_own = [&](BufferId id) {
      return plan_.buffers[at(id)].kind == PlanBuffer::Kind::comm;
    };
    return (combines || !kernels::reduces(call.kind)) && is_own(start.operands[0]) &&
           is_own(start.results[0]);
  }

  // The step that alone reads a result, behind the start and the wait that write it.
  std::size_t reader_of(BufferId result) const {
    const std::vector<OneAccess>& all = accesses_[at(result)];
    if (all.size() != 3 || !all[0].written || !all[1].written || all[2].written) return kNone;
    const std::size_t step = all[2].step;
    return step < plan_.steps.size() &&
                   std::holds_alternative<CollectiveWait>(plan_.steps[all[1].step])
               ? step
               : kNone;
  }

  bool may_follow(const CollectiveStart& start, std::size_t begin, std::size_t step) const {
    const Launch* const launch = launch_of(plan_.steps[step]);
    if (launch == nullptr || launch->device.is_cpu()) return false;
    const LaunchPart& part = launch->parts.front();
    if (part.kernel < 0 || part.buffers.size() > kMostBuffers) return false;
    const Kernel& kernel = plan_.kernels[at(part.kernel)];
    const auto result =
        static_cast<int>(std::ranges::find(part.buffers, start.results[0]) - part.buffers.begin());
    const bool fits = std::ranges::count(part.buffers, start.results[0]) == 1 &&
                      kernel.buffers[at(result)].dtype == start.call.dtype &&
                      goes_along(kernel, result, elements_of_result(start, plan_.rank));
    if (!fits) return false;
    for (std::size_t i = 0; i < part.buffers.size(); ++i) {
      const BufferId id = part.buffers[i];
      if (id == start.results[0]) continue;
      if (!is_there(id, writes(plan_, part, i), begin, step)) return false;
    }
    return true;
  }

  // Whether a launch may come as soon as `begin` as far as a buffer is concerned: one that it reads
  // has its value then, and one that it writes is of no other use before.
  bool is_there(BufferId id, bool written, std::size_t begin, std::size_t step) const {
    return std::ranges::none_of(accesses_[at(id)], [&](const OneAccess& access) {
      if (written) return access.step < step;
      return access.written && access.step > begin && access.step < step;
    });
  }

  Plan& plan_;
  std::vector<std::vector<OneAccess>> accesses_;  // by buffer, in the order of the steps
};

}  // namespace

std::int64_t elements_of_result(const CollectiveStart& start, std::int64_t rank) {
  const auto members = static_cast<int>(start.group->members_with(rank).size());
  return runtime::result_elements(start.call, start.call.parts[0], members,
                                  static_cast<int>(start.group->position_of(rank)));
}

bool goes_along(const Kernel& kernel, int buffer, std::int64_t elements) {
  if (elements == 0 || outer_points(kernel) != elements || has_starts(kernel)) return false;
  for (const Segment& segment : kernel.segments) {
    if (segment.loop) return false;
    for (const Instruction& instruction : segment.body) {
      if (instruction.kind != Instruction::Kind::load || instruction.buffer != buffer) continue;
      if (!instruction.bounds.empty() || !walks_in_order(kernel, instruction.address)) return false;
    }
  }
  return true;
}

void fuse_collectives(Plan& plan) {
  const bool any = std::ranges::any_of(plan.steps, [](const Step& step) {
    const CollectiveStart* const start = start_of(step);
    return start != nullptr && start->engine == "nccl";
  });
  if (any) Followers(plan).run();
}

}  // namespace tutti::codegen::cuda
