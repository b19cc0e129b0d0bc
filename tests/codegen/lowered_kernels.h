#pragma once

#include <tutti/codegen/kernel/kernel.h>

#include <string>
#include <vector>

namespace tutti::codegen::kernel_testing {

// The kernels that the one fused group of a function becomes, from its text without the heading.
std::vector<Kernel> lowered(const std::string& function);

}  // namespace tutti::codegen::kernel_testing
