#include <tutti/codegen/pack.h>
#include <tutti/codegen/plan_areas.h>
#include <tutti/runtime/buffer.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tutti::codegen {

namespace {

using Kind = PlanBuffer::Kind;

// How many bytes any member may have of a part's operand, where this rank has it in a buffer of
// `own` bytes, which may be more; -1 where only the member itself knows.
std::int64_t most_bytes(const runtime::CollectiveCall& call, const runtime::TensorPart& part,
                        std::int64_t own) {
  if (part.sizes.empty()) return own;
  switch (call.kind) {
    case runtime::CollectiveKind::all_gather:
    case runtime::CollectiveKind::gather:
      return part.outer * *std::ranges::max_element(part.sizes) * part.inner * size_of(call.dtype);
    case runtime::CollectiveKind::reduce_scatter:
    case runtime::CollectiveKind::scatter:
      return own;
    default:
      return -1;
  }
}

class Areas {
 public:
  explicit Areas(Plan& plan) : plan_(plan), candidates_(plan.buffers.size()) {}

  void run() {
    find_candidates();
    for (std::size_t id = 0; id < candidates_.size(); ++id) {
      if (candidates_[id].group == nullptr || !candidates_[id].fits) continue;
      PlanBuffer& buffer = plan_.buffers[id];
      buffer.kind = Kind::symmetric;
      buffer.index = area(candidates_[id].group);
      buffer.bytes = candidates_[id].bytes;
    }
    for (std::size_t i = 0; i < plan_.areas.size(); ++i) place(i);
  }

 private:
  struct Candidate {
    ir::GroupPtr group = nullptr;
    bool fits = true;
    std::int64_t bytes = 0;  // on the member that has most
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
      for (std::size_t i = 0; i < start->operands.size(); ++i) {
        const PlanBuffer& buffer = plan_.buffers[at(start->operands[i])];
        Candidate& operand = candidates_[at(start->operands[i])];
        const bool known = operand.group == nullptr || operand.group->has_ranks_of(*start->group);
        const std::int64_t bytes = most_bytes(start->call, start->call.parts[i], buffer.bytes);
        operand.fits = operand.fits && known && bytes >= buffer.bytes && waited[at(start->work)] &&
                       start->parent == nullptr && start->engine == "shm" &&
                       start->group->members_with(plan_.rank).size() > 1 &&
                       buffer.kind == Kind::comm;
        operand.group = start->group;
        operand.bytes = std::max(operand.bytes, bytes);
      }
    }
    for (const PlanResult& result : plan_.results) candidates_[at(result.buffer)].fits = false;
    // What comes with a collective has the memory that this one finds for it.
    for (const Step& step : plan_.steps) {
      const CollectiveStart* const start = start_of(step);
      if (start == nullptr) continue;
      for (const BufferId id : start->results) candidates_[at(id)].fits = false;
    }
  }

  int area(const ir::GroupPtr& group) {
    const int known = area_of(plan_, *group);
    if (known >= 0) return known;
    plan_.areas.push_back({.group = group});
    return static_cast<int>(plan_.areas.size()) - 1;
  }

  // By the better of two ways, which all members find alike.
  void place(std::size_t area) {
    std::vector<PlanBuffer*> buffers;
    std::vector<Life> lives;
    for (std::size_t id = 0; id < plan_.buffers.size(); ++id) {
      PlanBuffer& buffer = plan_.buffers[id];
      if (buffer.kind != Kind::symmetric || at(buffer.index) != area) continue;
      buffers.push_back(&buffer);
      lives.push_back({buffer.defined_at, buffer.last_use, buffer.bytes});
    }
    constexpr auto kAlignment = static_cast<std::int64_t>(runtime::kBufferAlignment);
    const Packing first_fit = pack_first_fit(lives, kAlignment);
    const Packing by_size = pack_by_size(lives, kAlignment);
    const Packing& best = by_size.bytes < first_fit.bytes ? by_size : first_fit;
    for (std::size_t i = 0; i < buffers.size(); ++i) buffers[i]->offset = best.offsets[i];
    plan_.areas[area].bytes = best.bytes;
  }

  Plan& plan_;
  std::vector<Candidate> candidates_;  // by buffer; those of operands have a group
};

}  // namespace

void place_in_areas(Plan& plan) { Areas(plan).run(); }

}  // namespace tutti::codegen
