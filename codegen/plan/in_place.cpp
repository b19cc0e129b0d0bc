#include <tutti/codegen/plan/in_place.h>

#include <algorithm>
#include <utility>
#include <variant>

namespace tutti::codegen {

namespace {

// Whether different points have different elements: each stride spans all that the axes behind it
// reach.
bool is_injective(const Kernel& kernel, const Affine& address) {
  std::int64_t reach = 1;
  for (std::size_t axis = kernel.outer.size(); axis-- > 0;) {
    if (kernel.outer[axis] == 1) continue;
    if (address.outer[axis] < reach) return false;
    reach = address.outer[axis] * kernel.outer[axis];
  }
  return true;
}

// Whether two addresses of a point are the same; strides of axes of size 1 mean nothing.
bool is_same(const Kernel& kernel, const Affine& a, const Affine& b) {
  for (std::size_t axis = 0; axis < kernel.outer.size(); ++axis) {
    if (kernel.outer[axis] > 1 && a.outer[axis] != b.outer[axis]) return false;
  }
  return a.offset == b.offset;
}

bool loads(const Segment& segment, std::size_t buffer) {
  return std::ranges::any_of(segment.body, [&](const Instruction& instruction) {
    return instruction.kind == Instruction::Kind::load &&
           instruction.buffer == static_cast<int>(buffer);
  });
}

}  // namespace

bool may_run_in_place(const Kernel& kernel, std::size_t read, std::size_t written) {
  if (kernel.buffers[read].written || !kernel.buffers[written].written) return false;
  if (kernel.buffers[read].dtype != kernel.buffers[written].dtype) return false;
  // What says where others begin is read by each tile.
  const auto is_start = [&](const Start& start) { return std::cmp_equal(start.buffer, read); };
  if (!kernel.buffers[read].starts.empty() ||
      std::ranges::any_of(kernel.buffers, [&](const KernelBuffer& buffer) {
        return std::ranges::any_of(buffer.starts, is_start);
      })) {
    return false;
  }
  const Store* store = nullptr;
  for (const Segment& segment : kernel.segments) {
    // What is read after the store, in a later segment or the next round of a loop, would be new.
    if (store != nullptr && loads(segment, read)) return false;
    for (const Store& other : segment.stores) {
      if (other.buffer != static_cast<int>(written)) continue;
      if (store != nullptr || segment.loop) return false;
      store = &other;
    }
  }
  if (store == nullptr || !is_injective(kernel, store->address)) return false;
  for (const Segment& segment : kernel.segments) {
    for (const Instruction& instruction : segment.body) {
      if (instruction.kind != Instruction::Kind::load) continue;
      if (instruction.buffer != static_cast<int>(read)) continue;
      // What is read by an index is anywhere.
      if (segment.loop || !instruction.terms.empty() ||
          !is_same(kernel, instruction.address, store->address)) {
        return false;
      }
    }
  }
  return true;
}

bool may_run_in_place(const Plan& plan, const LaunchPart& part, std::size_t read,
                      std::size_t written) {
  if (part.kernel >= 0) {
    return may_run_in_place(plan.kernels[static_cast<std::size_t>(part.kernel)], read, written);
  }
  return part.tiles_in_place >= 0 && read == 0 && written + 1 == part.buffers.size();
}

std::optional<std::size_t> follows_in_place(const Plan& plan, std::size_t start, BufferId read,
                                            BufferId written) {
  const CollectiveStart* const of = start_of(plan.steps[start]);
  if (of == nullptr || !of->follower) return std::nullopt;
  // Blocks of one kernel that has both do not wait for each other in between.
  const std::vector<BufferId> led_by = of->leader_reads(plan);
  if (std::ranges::find(led_by, read) != led_by.end()) return std::nullopt;
  const std::vector<BufferId>& buffers = of->follower->buffers;
  const auto place_of = [&](BufferId id) {
    return static_cast<std::size_t>(std::ranges::find(buffers, id) - buffers.begin());
  };
  if (std::ranges::count(buffers, read) != 1 || std::ranges::count(buffers, written) != 1 ||
      !may_run_in_place(plan, *of->follower, place_of(read), place_of(written))) {
    return std::nullopt;
  }
  for (std::size_t step = start + 1; step < plan.steps.size(); ++step) {
    const auto* const wait = std::get_if<CollectiveWait>(&plan.steps[step]);
    if (wait != nullptr && wait->work == of->work) return step;
    bool uses = false;
    for_each_access(plan, plan.steps[step], [&](BufferId id, bool) { uses = uses || id == read; });
    if (uses) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace tutti::codegen
