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

class CompanionFinder {
 public:
  CompanionFinder(Plan& plan, const runtime::AlgorithmTable& table)
      : plan_(plan),
        table_(table),
        accesses_(plan.buffers.size()),
        gone_(plan.steps.size(), false) {
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
    for (std::size_t step = 0; step < plan_.steps.size(); ++step) {
      CollectiveStart* const start = start_of(plan_.steps[step]);
      if (start == nullptr || !may_have_companions(*start)) continue;
      if (const std::size_t maker = maker_of(start->operands[0], step); maker != kNone) {
        lead(*start, maker);
      }
      if (const std::size_t reader = reader_of(start->results[0]); reader != kNone) {
        follow(*start, step, reader);
      }
    }
    erase_steps(plan_, gone_);
  }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};
  struct OneAccess {
    std::size_t step;
    bool written;
  };

  bool may_have_companions(const CollectiveStart& start) const {
    const runtime::CollectiveCall& call = start.call;
    const auto members = static_cast<int>(start.group->members_with(plan_.rank).size());
    const bool is_one = start.engine == "nccl" && start.parent == nullptr &&
                        call.parts.size() == 1 && call.parts[0].sizes.empty() &&
                        start.operands.size() == 1 && start.results.size() == 1;
    if (!is_one || !runtime::is_read_whole(call, table_, members)) return false;
    const bool combines =
        can_combine(call.reduction, call.dtype) && call.reduction != runtime::Reduction::mean;
    // What the plan makes itself, and keeps, lies where the others reach it.
    const auto is_own = [&](BufferId id) {
      return plan_.buffers[at(id)].kind == PlanBuffer::Kind::comm &&
             std::ranges::none_of(plan_.results,
                                  [&](const PlanResult& result) { return result.buffer == id; });
    };
    return (combines || !kernels::reduces(call.kind)) && is_own(start.operands[0]) &&
           is_own(start.results[0]);
  }

  bool is_wait(std::size_t step) const {
    return step < plan_.steps.size() && std::holds_alternative<CollectiveWait>(plan_.steps[step]);
  }

  // The step that makes an operand for a start, and for nobody else, which is waited for.
  std::size_t maker_of(BufferId operand, std::size_t start) const {
    const std::vector<OneAccess>& all = accesses_[at(operand)];
    const bool is_only_its = all.size() == 3 && all[0].written && !all[1].written &&
                             !all[2].written && all[1].step == start;
    return is_only_its && is_wait(all[2].step) ? all[0].step : kNone;
  }

  // The step that alone reads a result, behind the start and the wait that write it.
  std::size_t reader_of(BufferId result) const {
    const std::vector<OneAccess>& all = accesses_[at(result)];
    const bool is_alone = all.size() == 3 && all[0].written && all[1].written && !all[2].written;
    return is_alone && is_wait(all[1].step) && all[2].step < plan_.steps.size() ? all[2].step
                                                                                : kNone;
  }

  // The kernel of a launch that goes along what it shares with a call; null where it does not.
  LaunchPart* companion_at(std::size_t step, BufferId shared, DType dtype, std::int64_t elements) {
    Launch* const launch = gone_[step] ? nullptr : launch_of(plan_.steps[step]);
    if (launch == nullptr || launch->device.is_cpu()) return nullptr;
    LaunchPart& part = launch->parts.front();
    if (part.kernel < 0 || part.buffers.size() > kMostBuffers) return nullptr;
    const Kernel& kernel = plan_.kernels[at(part.kernel)];
    const auto place =
        static_cast<int>(std::ranges::find(part.buffers, shared) - part.buffers.begin());
    const bool fits = std::ranges::count(part.buffers, shared) == 1 &&
                      kernel.buffers[at(place)].dtype == dtype &&
                      goes_along(kernel, place, elements);
    return fits ? &part : nullptr;
  }

  // It makes nothing else, and what it reads stays as it is up to the wait.
  void lead(CollectiveStart& start, std::size_t step) {
    const BufferId operand = start.operands[0];
    LaunchPart* const part =
        companion_at(step, operand, start.call.dtype, start.call.parts[0].elements);
    if (part == nullptr) return;
    const std::size_t wait = accesses_[at(operand)][2].step;
    for (std::size_t i = 0; i < part->buffers.size(); ++i) {
      const BufferId id = part->buffers[i];
      if (id == operand) continue;
      if (writes(plan_, *part, i) || !is_there(id, false, step, wait)) return;
    }
    start.leader = std::move(*part);
    gone_[step] = true;
    std::get<CollectiveWait>(plan_.steps[wait]).leader_reads = start.leader_reads(plan_);
  }

  void follow(CollectiveStart& start, std::size_t begin, std::size_t step) {
    const BufferId result = start.results[0];
    LaunchPart* const part =
        companion_at(step, result, start.call.dtype, elements_of_result(start, plan_.rank));
    if (part == nullptr) return;
    for (std::size_t i = 0; i < part->buffers.size(); ++i) {
      const BufferId id = part->buffers[i];
      if (id != result && !is_there(id, writes(plan_, *part, i), begin, step)) return;
    }
    start.follower = std::move(*part);
    gone_[step] = true;
    auto& wait = std::get<CollectiveWait>(plan_.steps[accesses_[at(result)][1].step]);
    wait.follower_reads = start.follower_buffers(plan_, false);
    wait.follower_writes = start.follower_buffers(plan_, true);
  }

  // Whether a launch at a step may come as soon as `begin` as far as a buffer is concerned: one
  // that it reads has the same value from there on, and one that it writes is of no other use
  // before.
  bool is_there(BufferId id, bool written, std::size_t begin, std::size_t step) const {
    return std::ranges::none_of(accesses_[at(id)], [&](const OneAccess& access) {
      if (written) return access.step < step;
      return access.written && access.step > begin && access.step < step;
    });
  }

  Plan& plan_;
  const runtime::AlgorithmTable& table_;
  std::vector<std::vector<OneAccess>> accesses_;  // by buffer, in the order of the steps
  std::vector<bool> gone_;                        // steps that are companions now
};

}  // namespace

std::int64_t elements_of_result(const CollectiveStart& start, std::int64_t rank) {
  const auto members = static_cast<int>(start.group->members_with(rank).size());
  return runtime::result_elements(start.call, start.call.parts[0], members,
                                  static_cast<int>(start.group->position_of(rank)));
}

bool goes_along(const Kernel& kernel, int buffer, std::int64_t elements) {
  if (elements == 0 || outer_points(kernel) != elements || has_starts(kernel) ||
      has_terms(kernel)) {
    return false;
  }
  int stores = 0;
  for (const Segment& segment : kernel.segments) {
    if (segment.loop) return false;
    for (const Instruction& instruction : segment.body) {
      if (instruction.kind != Instruction::Kind::load || instruction.buffer != buffer) continue;
      if (!instruction.bounds.empty() || !walks_in_order(kernel, instruction.address)) return false;
    }
    for (const Store& store : segment.stores) {
      if (store.buffer != buffer) continue;
      if (++stores > 1 || !walks_in_order(kernel, store.address)) return false;
    }
  }
  return true;
}

void fuse_collectives(Plan& plan, const runtime::AlgorithmTable& table) {
  const bool any = std::ranges::any_of(plan.steps, [](const Step& step) {
    const CollectiveStart* const start = start_of(step);
    return start != nullptr && start->engine == "nccl";
  });
  if (any) CompanionFinder(plan, table).run();
}

}  // namespace tutti::codegen::cuda
