#pragma once

#include <tutti/codegen/kernel/kernel.h>
#include <tutti/kernels/host/matmul.h>

#include <cstdint>
#include <optional>

namespace tutti::codegen {

// A small product as a kernel that adds in the order in which kernels::PreparedMatmul does; none
// for others. The operands' first elements are that many elements into their buffers.
std::optional<Kernel> product_kernel(const kernels::Matmul& product, std::int64_t a_offset,
                                     std::int64_t b_offset);

}  // namespace tutti::codegen
