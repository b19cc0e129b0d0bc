#pragma once

#include <tutti/codegen/plan/plan.h>

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tutti::codegen {

// Goes through a plan's steps in their order, and is what the steps check themselves with. What
// lives when it finds by itself, from for_each_access.
class PlanChecker {
 public:
  explicit PlanChecker(const Plan& plan);

  // Throws InternalError where the plan breaks a rule of check_plan.h.
  void run();

  const Plan& plan() const { return plan_; }
  const PlanBuffer& buffer(BufferId id) const { return plan_.buffers[at(id)]; }
  [[noreturn]] void fail(const std::string& message) const;
  // Fails with what is wrong with the buffer: " is freed twice".
  void require(bool condition, const char* what, BufferId id) const;

  // What the step does.
  void allocate(BufferId id);
  void acquire(BufferId id);
  void free(BufferId id);
  void read(BufferId id);
  void write(BufferId id);
  // Enters a region: one in front of that whose step this is.
  void enter(int region);
  void start(const CollectiveStart& start);
  void wait(const CollectiveWait& wait);
  void finish(const Finish& finish);

 private:
  struct State {
    bool allocated = false;  // or acquired
    bool arriving = false;   // is a result of a collective that was started
    bool written = false;
    bool freed = false;
    bool lent = false;              // peers may read it
    std::vector<int> lent_to = {};  // of one in a group's memory: the works that use it
    bool returned = false;
    bool used_up = false;  // by what follows its collective
    int read_beside = 0;   // how many collectives are under way whose companions read it
    // Of the whole part: the steps that write it first and use it last, but for those that allocate
    // and free it; the number of steps where it is returned, -1 where there is none.
    int first_write = -1;
    int last_use = -1;
  };
  struct Work {
    enum class State : std::uint8_t { none, started, waited, read } state = State::none;
    const CollectiveStart* start = nullptr;
    std::size_t part = 0;  // that starts it, and may wait for it
  };

  // The steps, buffers, results and donations of a region, or those of the program itself.
  struct Part {
    std::size_t first_step;
    std::size_t end_step;
    BufferId first_buffer;
    BufferId end_buffer;
    const std::vector<PlanResult>& results;
    const std::vector<Donation>& donations;
    bool is_region;
  };

  // Sums of what a plan says could overflow.
  static bool lies_within(const PlanBuffer& buffer, std::int64_t memory) {
    return buffer.offset >= 0 && buffer.bytes >= 0 && buffer.offset <= memory &&
           buffer.bytes <= memory - buffer.offset;
  }
  static std::string name(BufferId id) { return "b" + std::to_string(id); }
  void find_parts();
  void check_part(const Part& part);
  void check_kinds(const Part& part);
  void check_place(BufferId id) const;
  void require_area(BufferId id, const CollectiveStart& start) const;
  bool has_common_result(const CollectiveStart& start) const;
  void require_own(BufferId id) const;
  void find_lives(const Part& part);
  // The buffers of a space that were written last, by offset; none overlaps another.
  using Places = std::map<std::int64_t, BufferId>;
  void begin_placed(BufferId id);
  void begin_life(BufferId id, Places& places);
  void lend(BufferId id, const CollectiveStart& start);
  void check_reading(const CollectiveStart& start);
  void check_engine(const CollectiveStart& start);
  void check_companion(const CollectiveStart& start, const LaunchPart& part,
                       const std::vector<BufferId>& shared, bool written);
  void lead(const CollectiveStart& start);
  void follow(const CollectiveStart& start);
  void check_end(const Part& part);
  void check_arenas();
  // What `bytes` bytes of a space hold, those that `lies_there` says.
  void check_windows(const std::function<bool(const PlanBuffer&)>& lies_there);
  void check_areas();
  void check_said_lives() const;
  void check_donation(const Donation& donation);
  bool is_update(BufferId id);
  bool in_place(const Step& step, BufferId input, BufferId target);
  bool writes_over(const Control& control, BufferId read, BufferId written);

  const Plan& plan_;
  std::vector<State> states_;
  std::vector<Work> works_;
  std::vector<Part> parts_;                       // the regions', and the program's
  std::size_t part_ = 0;                          // whose steps are looked at
  std::map<int, BufferId> inputs_;                // of the part, by argument
  std::vector<int> started_;                      // works of the part
  std::vector<std::vector<std::size_t>> enters_;  // by part: the regions that it enters
  std::unordered_map<Device, Places> places_;
  std::vector<Places> area_places_;
  std::map<const Control*, std::set<std::pair<BufferId, BufferId>>> in_place_;
  int reading_ = -1;  // the work whose operands are read right now
  std::size_t step_ = 0;
};

}  // namespace tutti::codegen
