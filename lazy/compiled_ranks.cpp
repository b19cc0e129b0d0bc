#include <tutti/lazy/compiled_ranks.h>
#include <tutti/lazy/context.h>

#include <algorithm>
#include <iterator>

namespace tutti::detail {

CompiledRanks::CompiledRanks(Location where, std::vector<VaryingSize> sizes)
    : where_(where),
      sizes_(std::move(sizes)),
      first_(std::make_shared<CompiledFunction>(where_, sizes_)) {}

std::shared_ptr<CompiledFunction> CompiledRanks::of(const World& world) {
  const std::shared_ptr<RankContext>& rank = world.context();
  if (first_->belongs_to(*rank)) return first_;
  std::vector<OfRank> gone;  // outlives the lock: programs hold what users made
  const std::scoped_lock lock(mutex_);
  const auto ended =
      std::ranges::partition(others_, [](const OfRank& other) { return !other.rank.expired(); });
  gone.assign(std::make_move_iterator(ended.begin()), std::make_move_iterator(ended.end()));
  others_.erase(ended.begin(), ended.end());
  for (const OfRank& other : others_) {
    if (other.function->belongs_to(*rank)) return other.function;
  }
  const auto made = std::make_shared<CompiledFunction>(where_, sizes_);
  made->give_to(*rank);
  others_.push_back({rank, made});
  return made;
}

}  // namespace tutti::detail
