#include <tutti/codegen/plan/placement.h>

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tutti::codegen {

namespace {

enum Event : std::uint64_t { kWrite, kStart, kFinish, kRelease, kRead, kEnter, kEnd, kStep };

// Goes through one part of a plan after another, regions first.
class Skeleton {
 public:
  Skeleton(const Plan& plan, const ir::Group& group) : plan_(plan), group_(group) {}

  runtime::Placement run() {
    for (const Region& region : plan_.regions) {
      parts_.push_back(part(region.first_step, region.end_step));
    }
    const Part main = part(plan_.main_step(), static_cast<int>(plan_.steps.size()));
    return {.skeleton = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(main.skeleton)),
            .layout = static_cast<std::uint32_t>(main.layout)};
  }

 private:
  struct Part {
    std::uint64_t skeleton = 0;
    std::uint64_t layout = 0;
    std::size_t events = 0;
  };

  bool lies_here(BufferId id) const {
    const PlanBuffer& buffer = plan_.buffers[at(id)];
    return buffer.kind == PlanBuffer::Kind::symmetric &&
           plan_.areas[at(buffer.index)].group->is_same_for(plan_.rank, group_);
  }

  Part part(int first_step, int end_step) {
    skeleton_ = layout_ = Hasher();
    events_ = 0;
    numbers_.clear();
    works_.clear();
    acquired_.clear();
    for (int step = first_step; step < end_step; ++step) {
      const std::size_t before = events_;
      visit(plan_.steps[at(step)]);
      // What one step does is done together, and its places are acquired before all of it.
      if (events_ != before) skeleton_.add(kStep);
    }
    // By number: where each lies, and behind how many events it is acquired.
    std::vector<std::pair<std::size_t, std::uint64_t>> places(numbers_.size());
    for (const auto& [id, number] : numbers_) {
      const auto acquired = acquired_.find(id);
      places[number] = {acquired == acquired_.end() ? ~std::size_t{0} : acquired->second,
                        place_of(plan_.buffers[at(id)])};
    }
    for (const auto& [acquired, offset] : places) layout_.add(acquired).add(offset);
    return {skeleton_.finish().low, layout_.finish().low, events_};
  }

  std::uint64_t place_of(const PlanBuffer& buffer) const {
    const int member = plan_.areas[at(buffer.index)].member;
    const std::uint64_t on_gpu = buffer.device.is_cpu() ? 0 : 1;  // which one, ranks differ in
    return hashed(buffer.offset) + (hashed(member + 1) << 48) + (on_gpu << 63);
  }

  void visit(const Step& step) {
    if (const auto* const acquire = std::get_if<Acquire>(&step)) {
      acquired_[acquire->buffer] = events_;
      return;
    }
    const CollectiveStart* const start = start_of(step);
    if (start != nullptr && start->parent == nullptr &&
        start->group->is_same_for(plan_.rank, group_)) {
      works_.emplace(start->work, works_.size());
      for (const BufferId id : start->leader_reads(plan_)) {
        if (lies_here(id)) add(kRead, number(id));
      }
      if (start->leader && lies_here(start->operands[0])) add(kWrite, number(start->operands[0]));
      add(kStart, runtime::fingerprint(start->call));
      for (const std::vector<BufferId>& buffers : {start->operands, start->results}) {
        for (const BufferId id : buffers) {
          skeleton_.add(lies_here(id) ? number(id) : ~std::uint64_t{0});
        }
      }
      for (const bool written : {false, true}) {
        for (const BufferId id : start->follower_buffers(plan_, written)) {
          if (lies_here(id)) add(written ? kWrite : kRead, number(id));
        }
      }
      return;
    }
    if (const auto* const wait = std::get_if<CollectiveWait>(&step)) {
      if (const auto known = works_.find(wait->work); known != works_.end()) {
        add(kFinish, known->second);
      }
      // Which may be another group's.
      for (const std::vector<BufferId>* const used :
           {&wait->leader_reads, &wait->follower_reads, &wait->follower_writes}) {
        for (const BufferId id : *used) {
          if (lies_here(id)) add(kRead, number(id));
        }
      }
      return;
    }
    if (const auto* const finish = std::get_if<Finish>(&step)) {
      if (const auto known = works_.find(finish->work); known != works_.end()) {
        add(kRelease, known->second);
      }
      return;
    }
    for_each_access(plan_, step, [this](BufferId id, bool written) {
      if (lies_here(id)) add(written ? kWrite : kRead, number(id));
    });
    if (const Control* const control = control_of(step)) enter(*control);
  }

  void enter(const Control& control) {
    const auto communicates = [this](int region) { return parts_[at(region)].events > 0; };
    if (std::ranges::none_of(control.regions, communicates)) return;
    add(kEnter, static_cast<std::uint64_t>(control.kind));
    skeleton_.add(hashed(control.length));
    for (const int region : control.regions) {
      skeleton_.add(parts_[at(region)].skeleton);
      layout_.add(parts_[at(region)].layout);
    }
    add(kEnd, 0);
  }

  void add(Event event, std::uint64_t what) {
    ++events_;
    skeleton_.add(event).add(what);
  }

  // Of a buffer, in the order in which they are met, with its size at first: the plan's own numbers
  // depend on what else there is on a rank.
  std::uint64_t number(BufferId id) {
    const auto [found, is_new] = numbers_.try_emplace(id, numbers_.size());
    if (is_new) skeleton_.add(hashed(plan_.buffers[at(id)].bytes));
    return found->second;
  }

  const Plan& plan_;
  const ir::Group& group_;
  std::vector<Part> parts_;  // by region
  // Of the part that is looked at:
  Hasher skeleton_;
  Hasher layout_;
  std::size_t events_ = 0;
  std::unordered_map<BufferId, std::size_t> numbers_;
  std::unordered_map<int, std::size_t> works_;
  std::unordered_map<BufferId, std::size_t> acquired_;
};

}  // namespace

runtime::Placement placement_of(const Plan& plan, std::size_t area) {
  return Skeleton(plan, *plan.areas[area].group).run();
}

void add_placements(Plan& plan) {
  for (std::size_t i = 0; i < plan.areas.size(); ++i) {
    plan.areas[i].placement = placement_of(plan, i);
  }
}

}  // namespace tutti::codegen
