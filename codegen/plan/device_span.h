#pragma once

#include <tutti/codegen/plan/device_region.h>
#include <tutti/runtime/comm/recorded_calls.h>
#include <tutti/runtime/run/plan_frame.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tutti::codegen {

// Regions of one GPU and the collectives of one group between them: steps of a plan that the host
// has nothing else to do with. The members of the group record all of it together, once, and put it
// on their GPUs by one launch then (RecordedCalls says how they agree about that). What lies
// elsewhere in a run than when it was recorded is exchanged in the recording, by this rank alone:
// of launches, which say nothing to other ranks. Collectives keep their places; what they are given
// or give elsewhere is copied.
class DeviceSpan {
 public:
  struct Step {
    enum class Kind : std::uint8_t { region, allocate, free, start, wait };
    Kind kind = Kind::region;
    DeviceRegion* region = nullptr;
    std::int32_t number = -1;  // of the buffer or work
  };

  // `first_step` and `last_step` as the binding counts; `plan` and the regions outlive this.
  DeviceSpan(const Plan& plan, Device device, std::vector<Step> steps, std::size_t first_step,
             std::size_t last_step);

  std::size_t first_step() const { return first_step_; }
  std::size_t last_step() const { return last_step_; }

  // Whether it saves launches.
  bool is_worth_while() const { return !calls_.empty() && nodes_.size() > 1; }

  // At its first step: whether all of it is done. Else its steps are to be run, and then end().
  // Throws what its steps throw.
  bool replay(runtime::Context& context, runtime::PlanFrame& frame);
  void end();

 private:
  // A node of the recording: what a region launches, copies, a collective, or what goes with it
  // (which is nothing where the collective's kernel does that).
  struct Node {
    enum class Kind : std::uint8_t { region, collective, leader, follower, copies_in, copies_out };
    Kind kind = Kind::region;
    DeviceRegion* region = nullptr;
    std::size_t call = 0;  // of works_
    std::vector<std::size_t> behind = {};
    std::vector<std::size_t> bytes = {};  // of copies
    // Of this run: of copies, from and to by turns; of a companion, its arguments; of a
    // collective, those of the companions that its kernel has.
    std::vector<void*> addresses = {};
    std::vector<void*> recorded = {};  // what joined() has
    std::size_t part = 0;              // which of its parts
  };
  struct Call {
    std::int32_t work = -1;
    std::vector<BufferId> operands;
    std::vector<BufferId> results;
    std::vector<std::size_t> operand_bytes = {};  // by part
    bool has_leader = false;
    bool has_follower = false;
    std::shared_ptr<const runtime::BoundCompanion> leader = nullptr;  // bound
    std::shared_ptr<const runtime::BoundCompanion> follower = nullptr;
    std::size_t node = 0;  // its own
  };

  void plan_nodes(const Plan& plan);
  std::size_t call_of(std::int32_t work) const;
  bool is_placed(BufferId id) const { return placed_[at(id)]; }
  bool make_calls(runtime::Accelerator& accelerator, runtime::PlanFrame& frame);
  std::vector<runtime::RecordedCalls::Places> places(const runtime::PlanFrame& frame) const;
  void find_addresses(runtime::Accelerator& accelerator, runtime::PlanFrame& frame);
  void join(runtime::Accelerator& accelerator);
  // Null where there is nothing to do.
  std::shared_ptr<const runtime::Accelerator::Part> part_of(runtime::Accelerator& accelerator,
                                                            const Node& node) const;
  // Of the companion at a node, which shares what lies at that place with its collective.
  void find_companion(const runtime::PlanFrame& frame, std::size_t node, void* shared);
  // Whether a companion's node is nothing, since its collective's kernel does it.
  bool is_fused(const Node& companion) const;
  const runtime::BoundCompanion& companion_at(const Node& node) const;
  static const runtime::FusedCommKernels& kernels_with(const Call& call);
  void stop(const std::string& why);

  const Device device_;
  const std::vector<Step> steps_;
  const std::size_t first_step_;
  const std::size_t last_step_;
  std::vector<Call> calls_;          // in the order of their starts
  std::vector<std::int32_t> works_;  // theirs
  std::vector<bool> placed_;         // by buffer: whether it lies in a group's memory
  std::vector<Node> nodes_;
  std::shared_ptr<runtime::RecordedCalls> recorded_;
  bool records_ = true;
};

}  // namespace tutti::codegen
