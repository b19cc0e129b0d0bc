#pragma once

#include <tutti/codegen/plan/buffer.h>

#include <cstdint>
#include <span>

namespace tutti::codegen {

// What steps make their native code with: calls of the functions of runtime/abi.h, by name, after
// which the code leaves the plan if one failed.
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
  // The same for the next loop or branch, without addresses.
  virtual void control(const char* function) = 0;
};

}  // namespace tutti::codegen
