#pragma once

#include <tutti/codegen/kernel/kernel.h>

#include <string>
#include <string_view>

#if TUTTI_HAS_CUDA

#include <tutti/codegen/cuda/nvrtc.h>

namespace tutti::codegen::kernel_testing {

// GPUs of three generations.
inline constexpr const char* kTargets[] = {"sm_80", "sm_90", "sm_100"};

// Empty, or what NVRTC has against a kernel's CUDA text: an error, a warning or too much shared
// memory.
std::string nvrtc_refusal(const Kernel& kernel, std::string_view target);

}  // namespace tutti::codegen::kernel_testing

#endif
