#pragma once

#include <tutti/codegen/cuda/source.h>
#include <tutti/codegen/kernel.h>
#include <tutti/ir/constant_files.h>
#include <tutti/ir/graph.h>
#include <tutti/runtime/accelerator.h>
#include <tutti/runtime/comm/collective.h>
#include <tutti/runtime/profile/work_counts.h>

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace tutti::codegen {

using BufferId = std::int32_t;

// A number of the plan as an index.
constexpr std::size_t at(std::int32_t number) { return static_cast<std::size_t>(number); }

// A piece of memory that a plan names. All sizes and offsets are bytes.
struct PlanBuffer {
  enum class Kind : std::uint8_t {
    input,     // argument number `index`
    constant,  // constant number `index`
    local,     // at `offset` of its device's arena, which one run of the plan has to itself
    comm,      // operand or result of a collective: memory that peers may read and write
    owned,     // memory of its own, which a function that the plan runs may hold on to
    output,    // made by the plan and handed to the caller
  };

  Kind kind = Kind::local;
  std::int64_t bytes = 0;
  Device device = {};  // where its memory is; comm buffers are the host's
  int index = -1;
  std::int64_t offset = 0;
  // The steps that write it first and use it last; -1: before the first step.
  int defined_at = -1;
  int last_use = -1;
};

// A kernel, generated or hand-written, with the buffers it works on.
struct LaunchPart {
  std::string name;
  std::string detail;                      // of library calls: shapes
  int kernel = -1;                         // in Plan::kernels; -1 for a library call
  std::shared_ptr<const KernelCode> code;  // on the host
  // On a GPU: the text that is compiled for it (null for a call of a device library), and its code.
  std::shared_ptr<const cuda::Source> source = nullptr;
  std::shared_ptr<const runtime::DeviceCode> device_code = nullptr;
  std::int64_t tiles = 0;
  // Of a library call that computes the same when its last buffer lies over its first: how many
  // tiles there are then. -1: it does not.
  std::int64_t tiles_in_place = -1;
  std::int64_t work = 0;  // what it computes, beyond moving its buffers, in bytes
  // Of a library call: the kernel in Plan::kernels that goes over each tile of the result right
  // after it; -1 for none.
  int epilogue = -1;
  // Of a library call: how many it writes, the last of `buffers` but for those of its epilogue.
  int results = 1;
  std::vector<BufferId> buffers;
  Location location;
  runtime::WorkCounts counts = {};  // of all tiles
};

// One parallel loop over the tiles of all its parts, none of which reads what another writes. On a
// GPU there is one part, and it is put on the device's stream.
struct Launch {
  std::vector<LaunchPart> parts;
  Device device = {};
};

// Brings what a buffer holds to one of the same size on another device.
struct Copy {
  BufferId from = -1;
  BufferId to = -1;
  Location location = {};
};

// Announces a collective. `call` lacks only the addresses.
struct CollectiveStart {
  runtime::CollectiveCall call;
  ir::GroupPtr group;
  ir::GroupPtr parent = nullptr;        // of a message: the group whose ranks these two are
  std::vector<BufferId> operands = {};  // one a part; none where this rank only receives
  std::vector<BufferId> results = {};   // one a part; none where this rank only sends
  std::string engine = "shm";           // what carries it out
  int work = 0;                         // the number that CollectiveWait refers to
  int collective = 0;  // which of the function's collectives it is, in program order, or part of
};

struct CollectiveWait {
  int work = 0;
};

// Gives a buffer memory of its own, unless this run took over an argument's (see Donation).
struct Allocate {
  BufferId buffer = -1;
};

// Lets go of a buffer's memory.
struct Free {
  BufferId buffer = -1;
};

// Runs plans of functions: the steps of a loop one after another, or one branch. It gives its
// results their memory.
struct Control {
  enum class Kind : std::uint8_t { scan, while_loop, conditional };

  Kind kind = Kind::scan;
  // In Plan::functions. Of a scan: its body. Of a while_loop: condition, body. Else: the branches.
  std::vector<int> functions = {};
  std::vector<BufferId> operands = {};
  std::vector<BufferId> results = {};
  std::int64_t carries = 0;
  std::int64_t sequences = 0;
  std::int64_t length = 0;
  bool reverse = false;
  Location location = {};
};

using Step = std::variant<Allocate, Launch, Copy, CollectiveStart, CollectiveWait, Free, Control>;

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

// Whether a part writes its i-th buffer; else it reads it.
bool writes(const Plan& plan, const LaunchPart& part, std::size_t i);
// How many of a part's buffers are not its epilogue's.
std::size_t call_buffers(const Plan& plan, const LaunchPart& part);

// Readable text: buffers with their places, the steps in order, the kernels; docs/plan.md describes
// it, and parse_plan() reads it. It has all that a plan says, but not what its calls and kernels
// were compiled to. With `store` large constants lie beside the text.
std::string print(const Plan& plan, const ir::StoreConstant& store = {});

// Equal in all that the text says, but for names of source lines.
bool structurally_equal(const Plan& a, const Plan& b);

// Whether a step communicates over a group of that tag and those ranks.
bool uses_group(const Plan& plan, const ir::Group& group);

// Calls f(buffer, written) for every buffer that a step reads or writes, first those it reads.
void for_each_access(const Plan& plan, const Step& step,
                     const std::function<void(BufferId, bool)>& f);

}  // namespace tutti::codegen
