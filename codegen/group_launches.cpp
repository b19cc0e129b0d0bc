#include <tutti/codegen/access_history.h>
#include <tutti/codegen/group_launches.h>
#include <tutti/codegen/kernel/kernel.h>
#include <tutti/codegen/plan/launch_time.h>

#include <algorithm>

namespace tutti::codegen {

namespace {

// How many launches a launch may move up: further would keep more buffers live at once.
constexpr std::size_t kMostMoved = 8;
constexpr std::size_t kMostParts = 256;
// Launches that move less may hold any mixture of tiles, and what is smaller may be copied to save
// a launch: the parallel loop costs as much.
constexpr double kSmall = 256 << 10;
// Tiles may take that many times the average. A thread takes a small share of all tiles at once, so
// that this bounds the time for which others wait.
constexpr double kMostUneven = 2;

class Grouping {
 public:
  explicit Grouping(Plan& plan) : plan_(plan), history_(plan) {}

  void run() {
    std::vector<Step> steps = std::move(plan_.steps);
    for (Step& step : steps) {
      Launch* const launch = launch_of(step);
      // On a GPU there is nothing to divide between threads.
      const bool may_move = launch != nullptr && launch->device.is_cpu();
      const std::size_t place = may_move ? place_of(*launch) : done_.size();
      if (place < done_.size()) {
        Launch& target = *launch_of(done_[place]);
        loads_[place] = together(loads_[place], load_of(*launch));
        history_.note(step, place);
        std::ranges::move(launch->parts, std::back_inserter(target.parts));
        continue;
      }
      history_.note(step, place);
      loads_.push_back(launch == nullptr ? Load() : load_of(*launch));
      done_.push_back(std::move(step));
      if (!may_move) first_ = done_.size();
    }
    plan_.steps = std::move(done_);
  }

 private:
  // What a launch's tiles cost, in bytes moved.
  struct Load {
    double bytes = 0;
    double largest_tile = 0;
    double tiles = 0;
    std::size_t parts = 0;
  };

  Load load_of(const Launch& launch) const {
    Load load;
    for (const LaunchPart& part : launch.parts) {
      auto bytes = static_cast<double>(part.cost);
      for (const BufferId id : part.buffers) {
        bytes += static_cast<double>(plan_.buffers[static_cast<std::size_t>(id)].bytes);
      }
      const auto tiles = static_cast<double>(std::max<std::int64_t>(part.tiles, 1));
      load = together(load, {bytes, bytes / tiles, tiles, 1});
    }
    return load;
  }
  static Load together(const Load& a, const Load& b) {
    return {a.bytes + b.bytes, std::max(a.largest_tile, b.largest_tile), a.tiles + b.tiles,
            a.parts + b.parts};
  }
  static bool even(const Load& load) {
    return load.bytes <= kSmall || load.largest_tile * load.tiles <= kMostUneven * load.bytes;
  }

  // Beside a reader of what it changes it would have to copy all of that.
  bool wants_its_place(const LaunchPart& part) const {
    if (part.tiles_in_place < 0 || part.tiles <= part.tiles_in_place) return false;
    const PlanBuffer& changed = plan_.buffers[static_cast<std::size_t>(part.buffers.front())];
    return static_cast<double>(changed.bytes) > kSmall;
  }

  // The step that a launch joins; the end for none.
  std::size_t place_of(const Launch& launch) const {
    std::size_t least = std::max(first_, done_.size() - std::min(done_.size(), kMostMoved));
    for (const LaunchPart& part : launch.parts) {
      least = std::max(least, history_.earliest(part));
      if (wants_its_place(part)) {
        least = std::max(least, history_.behind_uses(part.buffers.front()));
      }
    }
    const Load load = load_of(launch);
    for (std::size_t place = done_.size(); place-- > least;) {
      const Load both = together(loads_[place], load);
      const bool joins = both.parts <= kMostParts && even(both);
      if (joins && !keeps_from_direct_calls(*launch_of(done_[place]), launch)) return place;
    }
    return done_.size();
  }

  // Native code calls kernels of ours itself where one thread runs all of them, may have some calls
  // of the library in it, and makes others through the frame.
  enum class Way : std::uint8_t { kernel, inlined, through_frame };
  static Way way_of(const LaunchPart& part) {
    if (part.kernel >= 0) return Way::kernel;
    const bool says = part.code != nullptr && part.epilogue < 0 &&
                      (part.code->kernel() != nullptr || part.code->update() != nullptr);
    return says ? Way::inlined : Way::through_frame;
  }
  bool keeps_from_direct_calls(const Launch& a, const Launch& b) const {
    return way_of(a.parts.front()) != way_of(b.parts.front()) && is_for_one_thread(plan_, a) &&
           is_for_one_thread(plan_, b);
  }

  Plan& plan_;
  std::vector<Step> done_;
  std::vector<Load> loads_;  // [step done]
  std::size_t first_ = 0;    // the step after the last that is no launch on the host
  AccessHistory history_;
};

}  // namespace

void group_launches(Plan& plan) { Grouping(plan).run(); }

}  // namespace tutti::codegen
