#include <tutti/codegen/pack.h>
#include <tutti/codegen/plan_areas.h>
#include <tutti/runtime/comm/nccl_calls.h>
#include <tutti/runtime/comm/transports.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace tutti::codegen {

namespace {

using Kind = PlanBuffer::Kind;

// How many bytes any member may have of a part's operand, or of its result, where this rank has it
// in a buffer of `own` bytes, which may be more; -1 where only the member itself knows.
std::int64_t most_bytes(const runtime::CollectiveCall& call, const runtime::TensorPart& part,
                        bool of_result, std::int64_t own) {
  using Call = runtime::CollectiveKind;
  if (part.sizes.empty()) return own;
  if (call.kind == Call::all_to_all) return -1;
  const bool takes_parts = call.kind == Call::reduce_scatter || call.kind == Call::scatter;
  if (takes_parts != of_result) return own;
  return part.outer * *std::ranges::max_element(part.sizes) * part.inner * size_of(call.dtype);
}

class Areas {
 public:
  Areas(Plan& plan, const runtime::Algorithms& algorithms)
      : plan_(plan), algorithms_(algorithms), candidates_(plan.buffers.size()) {}

  void run() {
    find_candidates();
    for (std::size_t id = 0; id < candidates_.size(); ++id) {
      if (candidates_[id].group == nullptr || !candidates_[id].fits) continue;
      PlanBuffer& buffer = plan_.buffers[id];
      buffer.kind = Kind::symmetric;
      buffer.index = area(candidates_[id].group, member_for(candidates_[id]), buffer.device);
      buffer.bytes = candidates_[id].bytes;
      plan_.areas[at(buffer.index)].bytes += buffer.bytes;  // until they are packed
    }
    find_begins();
    for (std::size_t i = 0; i < plan_.areas.size(); ++i) place(i);
  }

 private:
  struct Candidate {
    ir::GroupPtr group = nullptr;
    bool fits = true;
    std::int64_t bytes = 0;  // on the member that has most
    int uses = 0;
    bool common = false;  // a result that all members have in common
  };

  void find_candidates() {
    std::vector<bool> waited(at(plan_.works), false);
    for (const Step& step : plan_.steps) {
      if (const auto* const wait = std::get_if<CollectiveWait>(&step))
        waited[at(wait->work)] = true;
    }
    for (const Step& step : plan_.steps) {
      const CollectiveStart* const start = start_of(step);
      if (start == nullptr) continue;
      const runtime::CollectiveCall& call = start->call;
      const auto members = static_cast<int>(start->group->members_with(plan_.rank).size());
      const bool fits = waited[at(start->work)] && start->parent == nullptr &&
                        (start->engine == "shm" || runtime::moves_on_devices(start->engine)) &&
                        members > 1 && algorithms_.asked_of(*start->group) != ir::Algorithm::off;
      const bool common = start->engine == "shm" && runtime::common_result(call, members);
      // Where programs differ, each rank would compute its own.
      const bool results_fit =
          fits && (!common || (algorithms_.one_program && !start->group->programs_differ));
      for (std::size_t i = 0; i < start->operands.size(); ++i) {
        add(start->operands[i], *start, fits,
            most_bytes(call, call.parts[i], false, bytes(start->operands[i])));
      }
      if (start->reads(plan_)) continue;  // there is no result
      for (std::size_t i = 0; i < start->results.size(); ++i) {
        add(start->results[i], *start, results_fit,
            most_bytes(call, call.parts[i], true, bytes(start->results[i])));
        candidates_[at(start->results[i])].common = common;
      }
    }
    // What is read beyond its own call's end is not over when all have come to the next.
    for (Candidate& each : candidates_) each.fits = each.fits && (!each.common || each.uses == 1);
    for (const PlanResult& result : plan_.results) candidates_[at(result.buffer)].fits = false;
    // What is brought to or from a GPU has the size that it has there.
    for (const Step& step : plan_.steps) {
      const auto* const copy = std::get_if<Copy>(&step);
      if (copy == nullptr) continue;
      for (const BufferId id : {copy->from, copy->to}) {
        Candidate& candidate = candidates_[at(id)];
        candidate.fits = candidate.fits && candidate.bytes == bytes(id);
      }
    }
    leave_results_with_operands();
  }

  // Between GPUs messages would be of copies, each time, where their results have places there and
  // their operands have none.
  void leave_results_with_operands() {
    for (const Step& step : plan_.steps) {
      const CollectiveStart* const start = start_of(step);
      if (start == nullptr || !runtime::moves_on_devices(start->engine)) continue;
      const bool all_placed = std::ranges::all_of(
          start->operands, [this](BufferId id) { return candidates_[at(id)].fits; });
      if (all_placed || !runtime::are_messages(start->call)) continue;
      for (const BufferId id : start->results) {
        Candidate& candidate = candidates_[at(id)];
        candidate.fits = candidate.fits && candidate.uses > 1;
      }
    }
  }

  std::int64_t bytes(BufferId id) const { return plan_.buffers[at(id)].bytes; }

  void add(BufferId id, const CollectiveStart& start, bool fits, std::int64_t most) {
    Candidate& candidate = candidates_[at(id)];
    const bool known =
        candidate.group == nullptr || candidate.group->is_same_for(plan_.rank, *start.group);
    candidate.fits = candidate.fits && fits && known && most >= bytes(id) &&
                     plan_.buffers[at(id)].kind == Kind::comm;
    candidate.group = start.group;
    ++candidate.uses;
    candidate.bytes = std::max(candidate.bytes, most);
  }

  // Of a result in common: the member that has least of them as yet; else -1.
  int member_for(const Candidate& candidate) const {
    if (!candidate.common) return -1;
    const auto has = [&](std::int64_t member) {
      const int known = area_of(plan_, *candidate.group, static_cast<int>(member));
      return known < 0 ? 0 : plan_.areas[at(known)].bytes;
    };
    std::int64_t least = 0;
    for (std::int64_t member = 1; member < candidate.group->size() && has(least) > 0; ++member) {
      if (has(member) < has(least)) least = member;
    }
    return static_cast<int>(least);
  }

  int area(const ir::GroupPtr& group, int member, Device device) {
    const int known = area_of(plan_, *group, member, device);
    if (known >= 0) return known;
    plan_.areas.push_back({.group = group, .member = member, .device = device});
    return static_cast<int>(plan_.areas.size()) - 1;
  }

  // Nothing is acquired while peers' operands are read, but before the wait for them.
  void find_begins() {
    int reading = -1;
    for (int step = 0; std::cmp_less(step, plan_.steps.size()); ++step) {
      if (reads_peers(plan_, plan_.steps[at(step)])) reading = step;
      begins_.push_back(reading >= 0 ? reading : step);
      if (std::holds_alternative<Finish>(plan_.steps[at(step)])) reading = -1;
    }
  }

  // By the better of two ways, which all members find alike.
  void place(std::size_t area) {
    std::vector<PlanBuffer*> buffers;
    std::vector<Life> lives;
    for (PlanBuffer& buffer : plan_.buffers) {
      if (buffer.kind != Kind::symmetric || at(buffer.index) != area) continue;
      buffers.push_back(&buffer);
      lives.push_back({begins_[at(buffer.defined_at)], buffer.last_use, buffer.bytes});
    }
    const std::int64_t alignment = alignment_on(plan_.areas[area].device);
    const Packing first_fit = pack_first_fit(lives, alignment);
    const Packing by_size = pack_by_size(lives, alignment);
    const Packing& best = by_size.bytes < first_fit.bytes ? by_size : first_fit;
    for (std::size_t i = 0; i < buffers.size(); ++i) buffers[i]->offset = best.offsets[i];
    plan_.areas[area].bytes = best.bytes;
  }

  Plan& plan_;
  const runtime::Algorithms& algorithms_;
  std::vector<int> begins_;            // by step: where what it writes first is in use from
  std::vector<Candidate> candidates_;  // by buffer; what collectives use has a group
};

}  // namespace

void place_in_areas(Plan& plan, const runtime::Algorithms& algorithms) {
  Areas(plan, algorithms).run();
}

}  // namespace tutti::codegen
