#pragma once

#include <tutti/codegen/kernel.h>
#include <tutti/ir/graph.h>
#include <tutti/runtime/comm/collective.h>

#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace tutti::codegen {

using BufferId = std::int32_t;

// A piece of memory that a plan names. All sizes and offsets are bytes.
struct PlanBuffer {
  enum class Kind : std::uint8_t {
    input,     // argument number `index`
    constant,  // constant number `index`
    local,     // at `offset` of the arena that one run of the plan has to itself
    comm,      // operand or result of a collective: memory that peers may read and write
    output,    // made by the plan and handed to the caller
  };

  Kind kind = Kind::local;
  std::int64_t bytes = 0;
  int index = -1;
  std::int64_t offset = 0;
  // The steps that write it first and use it last; -1: before the first step.
  int defined_at = -1;
  int last_use = -1;
};

// Runs tiles of a kernel, generated or hand-written.
struct Launch {
  std::string name;
  std::string detail;  // of library calls: shapes
  int kernel = -1;     // in Plan::kernels; -1 for a library call
  std::shared_ptr<const KernelCode> code;
  std::int64_t tiles = 0;
  std::vector<BufferId> buffers;  // a library call writes the last one
  Location location;
};

// Announces a collective. `call` lacks only the addresses.
struct CollectiveStart {
  runtime::CollectiveCall call;
  ir::GroupPtr group;
  std::vector<BufferId> operands;
  std::vector<BufferId> results;
  int work = 0;  // the number that CollectiveWait refers to
};

struct CollectiveWait {
  int work = 0;
};

using Step = std::variant<Launch, CollectiveStart, CollectiveWait>;

struct PlanResult {
  BufferId buffer = -1;
  ir::Type type;
  int work = -1;  // of an async result: the collective that is under way
};

// A function as a flat list of steps for one rank. Immutable; one plan may run many times at once.
struct Plan {
  std::string name;
  std::int64_t rank = 0;
  std::vector<PlanBuffer> buffers;
  std::vector<Kernel> kernels;
  std::vector<Step> steps;
  std::vector<ir::Type> inputs;
  std::vector<ir::ArrayPtr> constants;
  std::vector<PlanResult> results;
  int works = 0;
  std::int64_t arena_bytes = 0;
};

// Whether a launch writes its i-th buffer; else it reads it.
bool writes(const Plan& plan, const Launch& launch, std::size_t i);

// Readable text: buffers with their places, then the steps in order.
std::string print(const Plan& plan);

// Fills in defined_at and last_use of every buffer from the steps.
void find_live_ranges(Plan& plan);

// Gives local buffers their offsets: buffers that are never live together may overlap. First fit in
// order of definition.
void plan_memory(Plan& plan);

// Throws InternalError when a plan breaks a rule: a buffer read before it is written, two live
// local buffers that overlap, a wait before its start.
void check(const Plan& plan);

}  // namespace tutti::codegen
