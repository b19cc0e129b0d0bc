#pragma once

#include <cstdint>
#include <string_view>

namespace tutti::codegen::cuda {

// What a kernel takes of a multiprocessor, by the assembler's word.
struct ResourceUse {
  std::int64_t registers = 0;     // a thread
  std::int64_t shared_bytes = 0;  // a block
  std::int64_t stack_bytes = 0;   // a thread; local memory, so slow
  std::int64_t spill_stores = 0;  // bytes a thread writes to the stack for want of registers
  std::int64_t spill_loads = 0;   // and reads back
  std::int64_t barriers = 0;      // named ones; 1 where there is a __syncthreads()

  friend bool operator==(const ResourceUse&, const ResourceUse&) = default;
};

// Reads it from NVRTC's log under --ptxas-options=-v. All zero if the log has nothing on a kernel
// of that name.
ResourceUse resource_use_in(std::string_view log, std::string_view kernel);

}  // namespace tutti::codegen::cuda
