#pragma once

#include <tutti/codegen/kernel/kernel.h>

#include <cstdint>
#include <string>
#include <vector>

namespace tutti::codegen::kernel_testing {

struct NamedKernel {
  std::string name;
  Kernel kernel;
};

// Sizes of a few thousand elements, for modes that are slow, or as in a real model.
enum class Size : std::uint8_t { small, large };

// What training a transformer consists of besides matrix products: "softmax", "layer_norm",
// "cross_entropy", "bias_gelu", "column_sum", "full_sum", "transpose", "adamw" and their like.
std::vector<NamedKernel> named_kernels(Size size);

}  // namespace tutti::codegen::kernel_testing
