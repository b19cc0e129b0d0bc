#pragma once

#include <tutti/codegen/plan/plan.h>

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
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
  void free(BufferId id);
  void read(BufferId id);
  void write(BufferId id);
  // Peers may read it from now on.
  void lend(BufferId id);
  // Brings memory for it, which others may not bring too.
  void bring(BufferId id);
  void start(int work, const std::vector<BufferId>& results);
  void wait(int work, const std::vector<BufferId>& results);

 private:
  struct State {
    bool allocated = false;
    bool arriving = false;  // is a result of a collective that was started
    bool written = false;
    bool freed = false;
    bool lent = false;  // peers may read it
    bool returned = false;
    std::size_t written_at = 0;
    std::size_t last_access = 0;
    // Of the whole plan: the steps that write it first and use it last, but for those that allocate
    // and free it; the number of steps where it is returned, -1 where there is none.
    int first_write = -1;
    int last_use = -1;
  };
  struct Work {
    enum class State : std::uint8_t { none, started, waited } state = State::none;
    const std::vector<BufferId>* results = nullptr;
  };

  static std::string name(BufferId id) { return "b" + std::to_string(id); }
  void find_lives();
  std::int64_t arena_bytes(Device device) const;
  void begin_life(BufferId id);
  void check_end();
  void check_said_lives() const;
  void check_donation(const Donation& donation);
  bool is_update(BufferId id) const;
  bool in_place(const Launch& launch, BufferId input, BufferId target) const;

  const Plan& plan_;
  std::vector<State> states_;
  std::vector<Work> works_;
  std::map<int, BufferId> inputs_;  // by argument
  // The local buffers that were written last, by device and offset; none overlaps another.
  std::unordered_map<Device, std::map<std::int64_t, BufferId>> places_;
  std::size_t step_ = 0;
};

}  // namespace tutti::codegen
