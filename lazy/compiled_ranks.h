#pragma once

#include <tutti/lazy/compiled_function.h>
#include <tutti/lazy/varying_size.h>
#include <tutti/lazy/world.h>

#include <memory>
#include <mutex>
#include <vector>

namespace tutti::detail {

// What a compiled function is on each of the ranks that call it. Thread-safe.
class CompiledRanks {
 public:
  // Throws UsageError for sizes that make no sense.
  CompiledRanks(Location where, std::vector<VaryingSize> sizes);

  // That of the rank that calls it first.
  const std::shared_ptr<CompiledFunction>& first() const { return first_; }
  // That of a World's rank; one while both live.
  std::shared_ptr<CompiledFunction> of(const World& world);

  // Held while the user's function runs: it may touch what it captures, and call itself. Two such
  // functions that call each other are for one rank at a time.
  std::recursive_mutex& recording() { return recording_; }
  Location where() const { return where_; }
  const std::vector<VaryingSize>& sizes() const { return sizes_; }

 private:
  struct OfRank {
    std::weak_ptr<RankContext> rank;
    std::shared_ptr<CompiledFunction> function;
  };

  const Location where_;
  const std::vector<VaryingSize> sizes_;
  const std::shared_ptr<CompiledFunction> first_;
  std::recursive_mutex recording_;
  std::mutex mutex_;  // of the next
  std::vector<OfRank> others_;
};

}  // namespace tutti::detail
