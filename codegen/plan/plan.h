#pragma once

#include <tutti/codegen/kernel/kernel.h>
#include <tutti/codegen/plan/step.h>
#include <tutti/ir/graph.h>
#include <tutti/ir/text/constant_files.h>

#include <memory>
#include <string>
#include <vector>

namespace tutti::codegen {

// An argument's memory that a result may take over in runs whose caller gives the argument up and
// in which nobody else holds it. A plan lists every pair that may, a result's best first; a run
// uses an argument for one result at most. A region lists the results that may lie where the
// parameter of the same number does.
struct Donation {
  int input = 0;
  BufferId buffer = -1;  // of kind output, or result
};

struct PlanResult {
  BufferId buffer = -1;
  ir::Type type;
  int work = -1;  // of an async result: the collective that is under way
};

// A GPU that a plan uses.
struct PlanDevice {
  Device device;
  std::int64_t arena_bytes = 0;
  std::string target = {};  // what its code is compiled for, once it is: "sm_90"
};

// What a plan uses of a group's memory: its symmetric buffers lie there, at places that are the
// same on all members. Of one kind each member has its own; the others are one member's, and hold
// results that all have in common. On a GPU each member has its own.
struct PlanArea {
  ir::GroupPtr group;
  int member = -1;     // whose it is; -1: each has its own
  Device device = {};  // where it lies
  std::int64_t bytes = 0;
  runtime::Placement placement = {};  // of compiled programs (placement.h)
};

// A function of a plan: steps that loops and branches enter, from one place or several, as often as
// they like. Whoever enters it says where its parameters and results lie; what else it uses is its
// own, at the same place whoever enters. Regions enter those in front of them only.
struct Region {
  std::string name;  // the function's
  // Its steps and its buffers: all from the first up to the end.
  int first_step = 0;
  int end_step = 0;
  BufferId first_buffer = 0;
  BufferId end_buffer = 0;
  std::vector<BufferId> parameters = {};  // by number
  std::vector<ir::Type> inputs = {};      // their types
  std::vector<PlanResult> results = {};
  std::vector<Donation> donations = {};
};

// A program as a flat list of steps for one rank: those of its regions, and behind them its own.
// Immutable; one plan may run many times at once.
struct Plan {
  std::string name;
  std::int64_t rank = 0;
  std::shared_ptr<const ir::Mesh> mesh = nullptr;  // names what types are replicated over
  std::vector<PlanBuffer> buffers;                 // the regions' first
  std::vector<Kernel> kernels;
  std::vector<Step> steps;
  std::vector<ir::Type> inputs;
  std::vector<ir::ArrayPtr> constants;
  std::vector<Region> regions;
  std::vector<PlanResult> results;
  std::vector<Donation> donations;
  int works = 0;
  std::int64_t arena_bytes = 0;     // of the host
  std::vector<PlanDevice> devices;  // other than the host
  std::vector<PlanArea> areas;      // one for a group and member

  // The steps and buffers of the program itself, and no region's, begin here.
  int main_step() const { return regions.empty() ? 0 : regions.back().end_step; }
  BufferId main_buffer() const { return regions.empty() ? 0 : regions.back().end_buffer; }
};

// Readable text: buffers with their places, the steps in order, the kernels; docs/plan.md describes
// it, and parse_plan() reads it. It has all that a plan says, but not what its calls and kernels
// were compiled to. With `store` large constants lie beside the text.
std::string print(const Plan& plan, const ir::StoreConstant& store = {});

// Equal in all that the text says, but for names of source lines.
bool structurally_equal(const Plan& a, const Plan& b);

// Whether a step communicates over a group that is the same for the plan's rank.
bool uses_group(const Plan& plan, const ir::Group& group);

// Whether a step is the wait for operands that the plan reads itself, up to a Finish.
bool reads_peers(const Plan& plan, const Step& step);

// The number of the group's area on a device, of those that are each member's own or of that
// member's; -1 where the plan has none.
int area_of(const Plan& plan, const ir::Group& group, int member = -1, Device device = {});
// Of any of the group's, which have one placement.
runtime::Placement placement_in(const Plan& plan, const ir::Group& group);

// Whether a buffer lies in a group's memory, and is a result that all members have in common.
bool is_common(const Plan& plan, BufferId buffer);

// What a run has to itself on a device; 0 where the plan does not use it.
std::int64_t arena_bytes(const Plan& plan, Device device);

// Where a buffer lies, as native code finds it.
void add_place(const Plan& plan, BufferId buffer, Hasher& hasher);

// Calls f(buffer, written) for every buffer that a step reads or writes, first those it reads.
void for_each_access(const Plan& plan, const Step& step, const OnAccess& f);

// Calls f(device, part) for every kernel and call of a plan, and for what goes with its
// collectives.
template <class OfPlan, class F>
void for_each_part(OfPlan& plan, F&& f) {
  for (auto& step : plan.steps) {
    if (auto* const launch = launch_of(step)) {
      for (auto& part : launch->parts) f(launch->device, part);
    } else if (auto* const start = start_of(step)) {
      if (start->leader) f(plan.buffers[at(start->operands[0])].device, *start->leader);
      if (start->follower) f(plan.buffers[at(start->results[0])].device, *start->follower);
    }
  }
}

}  // namespace tutti::codegen
