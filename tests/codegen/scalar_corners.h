#pragma once

#include <tutti/codegen/kernel/kernel.h>

#include <cstdint>
#include <iterator>
#include <limits>
#include <span>

#include "tests/codegen/kernel_maker.h"

// What tests of scalar primitives run over: every dtype, every op, and the numbers where something
// overflows, rounds or is undefined.
namespace tutti::codegen::kernel_testing {

inline constexpr DType kDTypes[] = {
#define TUTTI_ENTRY(name, text, type) DType::name,
    TUTTI_DTYPES(TUTTI_ENTRY)
#undef TUTTI_ENTRY
};

// All but the leaves, which come first.
inline constexpr ir::ScalarOp kAllScalarOps[] = {
#define TUTTI_ENTRY(name, operands) ir::ScalarOp::name,
    TUTTI_SCALAR_OPS(TUTTI_ENTRY)
#undef TUTTI_ENTRY
};
static_assert(kAllScalarOps[1] == ir::ScalarOp::constant);
inline constexpr std::span<const ir::ScalarOp> kScalarOps = std::span(kAllScalarOps).subspan(2);

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kCorners[] = {
    0.0,          -0.0,        1.0,         -1.0,       2.0,
    3.0,          7.0,         8.0,         -8.0,       15.0,
    16.0,         31.0,        32.0,        63.0,       64.0,
    127.0,        -128.0,      255.0,       256.0,      -129.0,
    32767.0,      -32768.0,    65535.0,     65536.0,    0.5,
    -0.5,         1.5,         2.5,         -2.5,       2147483647.,
    -2147483648., 4294967295., 4294967296., 9.2e18,     -9.3e18,
    1.8e19,       2e19,        kInfinity,   -kInfinity, std::numeric_limits<double>::quiet_NaN(),
    1e-45,        1e-40,       6e-8,        65504.0,    65520.0,
    3.4e38,       1e300,       -1e300,      0.1,        1.00390625,
    1.01171875,   -3.3e-39};
inline constexpr std::int64_t kCornerCount = std::size(kCorners);

// The first elements of all that a kernel reads.
void fill_with_corners(const Kernel& kernel, Arguments& arguments);

// Whether a primitive that keeps to one dtype (no cast, no bitcast) has a meaning for a compute
// dtype.
bool scalar_op_takes(ir::ScalarOp op, DType dtype);

}  // namespace tutti::codegen::kernel_testing
