#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace tutti::codegen::cuda {

inline constexpr std::int64_t kWarp = 32;          // threads
inline constexpr std::uint32_t kThreads = 256;     // of a block of a hand-written kernel
inline constexpr std::int64_t kWidestAccess = 16;  // bytes that a thread reads or writes at once

// A kernel as CUDA C++ with the shape of its launch; all of it follows from shapes alone. NVRTC
// compiles `text` as it stands, without any header of the toolkit.
//
// The function `name`, extern "C" and __global__, takes a pointer for each buffer in order; where
// workspace_bytes > 0 then one more, to Accelerator::workspace(workspace_bytes).
struct Source {
  std::string name;  // after the ops: "mul_add_tanh"; a C identifier
  std::string text;
  std::array<std::uint32_t, 3> grid = {1, 1, 1};   // blocks
  std::array<std::uint32_t, 3> block = {1, 1, 1};  // threads
  std::int64_t workspace_bytes = 0;

  friend bool operator==(const Source&, const Source&) = default;
};

}  // namespace tutti::codegen::cuda
