#pragma once

#include <tutti/codegen/plan/buffer.h>

#include <cstdint>
#include <span>

namespace tutti::kernels {
struct DynamicUpdateSlice;
}

namespace tutti::codegen {

struct Control;
struct Kernel;
struct Plan;

// What steps make their native code with: calls of the functions of runtime/run/abi.h, by name,
// after which the code leaves the plan if one failed.
class NativeSteps {
 public:
  NativeSteps() = default;
  NativeSteps(const NativeSteps&) = delete;
  NativeSteps& operator=(const NativeSteps&) = delete;
  virtual ~NativeSteps() = default;

  // function(frame, number)
  virtual void call(const char* function, std::int32_t number) = 0;
  // function(frame, number, addresses), with the number of the next launch, and its buffers'.
  virtual void launch(const char* function, std::span<const BufferId> buffers) = 0;
  // The same of kernels, or calls that say what they do, whose functions are called instead, one
  // after another, each for all of its tiles, where the frame has them.
  struct DirectKernel {
    const Kernel* kernel = nullptr;  // null: it puts a part into a tensor
    const kernels::DynamicUpdateSlice* update = nullptr;
    std::int64_t tiles = 0;
    std::size_t buffers = 0;
  };
  virtual void launch_direct(const char* function, std::span<const BufferId> buffers,
                             std::span<const DirectKernel> kernels) = 0;
  // That the steps are of.
  virtual const Plan& plan() const = 0;
  // A loop or branch, with the steps of its regions.
  virtual void control(const Control& control) = 0;
};

}  // namespace tutti::codegen
