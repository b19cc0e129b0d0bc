#pragma once

#include <tutti/codegen/plan/plan.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace tutti::tools::show {

// What the buffers of a kind hold at each step of a plan, in bytes, with what is held where its
// region is entered (entering_steps).
std::vector<std::int64_t> held_bytes(const codegen::Plan& plan,
                                     const std::function<bool(const codegen::PlanBuffer&)>& counts);

struct PlanMemory {
  std::vector<std::int64_t> local;   // in the arenas of all devices
  std::vector<std::int64_t> comm;    // operands and results of collectives
  std::vector<std::int64_t> output;  // the function's results
};
PlanMemory find_memory(const codegen::Plan& plan);

// By step of a region, the step that enters it, of several the one that holds most of all kinds
// together; -1 for the program's own.
std::vector<int> entering_steps(const codegen::Plan& plan);

}  // namespace tutti::tools::show
