#pragma once

#include <tutti/codegen/kernel/kernel.h>
#include <tutti/codegen/plan/step.h>
#include <tutti/ir/constant_files.h>
#include <tutti/ir/graph.h>

#include <memory>
#include <string>
#include <vector>

namespace tutti::codegen {

// An argument's memory that a result may take over in runs whose caller gives the argument up and
// in which nobody else holds it. A plan lists every pair that may, a result's best first; a run
// uses an argument for one result at most.
struct Donation {
  int input = 0;
  BufferId buffer = -1;  // of kind output
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

// A function as a flat list of steps for one rank. Immutable; one plan may run many times at once.
struct Plan {
  std::string name;
  std::int64_t rank = 0;
  std::shared_ptr<const ir::Mesh> mesh = nullptr;  // names what types are replicated over
  std::vector<PlanBuffer> buffers;
  std::vector<Kernel> kernels;
  std::vector<Step> steps;
  std::vector<ir::Type> inputs;
  std::vector<ir::ArrayPtr> constants;
  std::vector<std::shared_ptr<Plan>> functions;  // that Control steps run
  std::vector<PlanResult> results;
  std::vector<Donation> donations;
  int works = 0;
  std::int64_t arena_bytes = 0;     // of the host
  std::vector<PlanDevice> devices;  // other than the host
};

// Readable text: buffers with their places, the steps in order, the kernels; docs/plan.md describes
// it, and parse_plan() reads it. It has all that a plan says, but not what its calls and kernels
// were compiled to. With `store` large constants lie beside the text.
std::string print(const Plan& plan, const ir::StoreConstant& store = {});

// Equal in all that the text says, but for names of source lines.
bool structurally_equal(const Plan& a, const Plan& b);

// Whether a step communicates over a group of that tag and those ranks.
bool uses_group(const Plan& plan, const ir::Group& group);

// Calls f(buffer, written) for every buffer that a step reads or writes, first those it reads.
void for_each_access(const Plan& plan, const Step& step, const OnAccess& f);

// The plans of a plan's functions, and of the functions in these, each once, innermost first.
std::vector<Plan*> nested_plans(const Plan& plan);

// The host arena that a run needs: the plan's own, and behind it that of whichever of its functions
// needs most.
std::int64_t arena_with_functions(const Plan& plan);

}  // namespace tutti::codegen
