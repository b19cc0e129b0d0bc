#pragma once

#include <tutti/codegen/kernel/kernel.h>
#include <tutti/codegen/plan/native_steps.h>
#include <tutti/codegen/plan/plan.h>

#include <cstdint>
#include <span>
#include <vector>

namespace tutti::codegen::native {

// Which functions of a plan, its regions and the program, become one piece of code with the small
// kernels that they launch themselves. LLVM keeps values in registers there that one kernel hands
// to the next, and one step of a loop to the next one, if they are small and seen by nothing else:
// those lie on the stack, and not in the arena. Functions with too much code for that call their
// kernels as all others do.
class JoinedFunctions {
 public:
  // `joins`: else none is.
  JoinedFunctions(const Plan& plan, bool joins);

  // A region's number, or that behind the last one: the program.
  bool is_joined(std::size_t function) const { return joined_[function]; }
  // Whether a region goes where it is entered: it is small, or that is in one place.
  bool is_inlined(std::size_t region) const { return inlined_[region]; }
  // Whether all of the kernels that a launch of such a function calls are a part of it.
  bool are_inlined(std::span<const NativeSteps::DirectKernel> kernels) const;
  bool lies_on_stack(BufferId buffer) const { return on_stack_[at(buffer)]; }
  // See emit_inlined_kernel.
  std::int64_t room(BufferId buffer) const { return rooms_[at(buffer)]; }
  // Whether a carry of a loop lies on the stack while the loop runs.
  bool keeps(const Control& control, std::size_t carry, std::size_t function) const;

 private:
  class Survey;

  void find_rooms();

  const Plan& plan_;
  std::vector<bool> joined_;
  std::vector<bool> inlined_;
  std::vector<bool> on_stack_;
  std::vector<std::int64_t> rooms_;
};

}  // namespace tutti::codegen::native
