#include <tutti/runtime/profile/plan_profile.h>

namespace tutti::runtime {

void PlanProfile::started(std::int32_t work, std::int64_t begin, const Work& started,
                          std::span<const Location> lines) const {
  const auto number = static_cast<std::size_t>(work);
  WorkSources sources = works[number];
  if (!lines.empty()) {
    for (std::uint32_t* const source : {&sources.start, &sources.wait, &sources.collective}) {
      *source = profile->moved_source(*source, lines[number]);
    }
  }
  profile->started(sources.start, sources.wait, sources.collective, begin, started);
}

RunRecord::RunRecord(const PlanProfile* plan, const Allocator& allocator)
    : plan_(plan), allocator_(allocator) {
  if (plan_ == nullptr) [[likely]]
    return;
  plan_->profile->prepare();
  begin_ = monotonic_now();
  plan_->profile->count(plan_->arena, plan_->arena_bytes);
  plan_->count_memory(allocator_);
}

void RunRecord::end() const {
  plan_->profile->add(plan_->run, begin_);
  plan_->profile->look_at_devices();
  plan_->count_memory(allocator_);
}

void RunRecord::failed() {
  if (plan_ == nullptr) return;
  end();
  plan_->profile->save();
  plan_ = nullptr;
}

}  // namespace tutti::runtime
