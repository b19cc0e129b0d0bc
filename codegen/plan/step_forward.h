#pragma once

#include <tutti/codegen/plan/buffer.h>
#include <tutti/ir/support/hash.h>
#include <tutti/ir/support/location.h>

#include <array>
#include <span>
#include <string_view>
#include <vector>

namespace tutti::codegen {

// What the files of the steps work with.
struct Donation;
struct Plan;
struct PlanResult;
struct Region;
class StepParser;
class StepPrinter;
class PlanChecker;
class Binding;
class NativeSteps;

// Where the memory outside the arena comes from that a step writes: it is there before the step,
// the step brings it, or another step will.
enum class ResultMemory : std::uint8_t { there, brought, later };

// What is added to the numbers in a step that goes behind others of another plan.
struct Shift {
  BufferId buffers = 0;
  int kernels = 0;
  int works = 0;
};

// A number of the plan as a word of a hash.
constexpr std::uint64_t hashed(std::int64_t number) { return static_cast<std::uint64_t>(number); }

}  // namespace tutti::codegen
