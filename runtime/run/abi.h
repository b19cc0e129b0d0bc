#pragma once

#include <tutti/runtime/run/plan_frame.h>

#include <cstdint>
#include <span>

// The functions that the native code of plans may call, by these names: with the kernels' functions
// (PlanMemory::kernels) the whole of the boundary between code made at run time and the library.
// None throws: where a step fails they keep what was thrown in PlanFrame::failure and return 1,
// else 0.
extern "C" {
std::int32_t tutti_allocate(tutti::runtime::PlanFrame* frame, std::int32_t buffer);
std::int32_t tutti_acquire(tutti::runtime::PlanFrame* frame, std::int32_t buffer);
std::int32_t tutti_free(tutti::runtime::PlanFrame* frame, std::int32_t buffer);
std::int32_t tutti_launch(tutti::runtime::PlanFrame* frame, std::int32_t launch,
                          void* const* arguments);
std::int32_t tutti_start(tutti::runtime::PlanFrame* frame, std::int32_t work);
std::int32_t tutti_wait(tutti::runtime::PlanFrame* frame, std::int32_t work);
std::int32_t tutti_finish(tutti::runtime::PlanFrame* frame, std::int32_t work);
// Says in which iteration of a loop a step of a region failed. Never fails.
void tutti_failed_inside(tutti::runtime::PlanFrame* frame, std::int32_t region,
                         std::int64_t iteration);
// Copies so many bytes, unless they are there already. Never fails.
void tutti_move(void* to, const void* from, std::int64_t bytes);
}

namespace tutti::runtime {

// A plan as native code: runs all steps; returns the number of the step that failed, or -1.
using PlanFunction = std::int32_t (*)(const PlanMemory* memory, PlanFrame* frame);

struct AbiFunction {
  const char* name;
  const void* address;
};

// All of the above.
std::span<const AbiFunction> abi_functions();

}  // namespace tutti::runtime
