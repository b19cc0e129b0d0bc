#pragma once

#include <tutti/codegen/kernel/kernel.h>

#include <cstdint>
#include <vector>

#include "tests/codegen/kernel_maker.h"

// Kernels of each kind that CUDA texts have a mapping for.
namespace tutti::codegen::kernel_testing {

// b2[i][j] = the larger of b0[i][j] and b1[j], of a matrix of three rows.
Kernel map_of(std::int64_t extent, DType from, DType to, std::int64_t offset = 0);

// The maximum and a combination of each row, two runs of `extent`, and with them the row again. A
// run starts every `pitch` elements; 0: without a gap.
Kernel rows_of(std::int64_t rows, std::int64_t extent, DType dtype, ir::ScalarOp combine,
               std::int64_t pitch = 0);

// A combination of each column.
Kernel columns_of(std::int64_t columns, std::int64_t height, DType dtype, ir::ScalarOp combine);

// Two combinations of each row, from one loop between points.
Kernel totals_of(std::int64_t rows, std::int64_t extent, DType dtype, ir::ScalarOp combine);

// b2 = b0 turned, and b1; of three matrices, maybe with the first one's rows in reverse.
Kernel turned(std::int64_t rows, std::int64_t columns, DType dtype, bool reversed = false);

// All ops of a dtype in one kernel: z[i][j] = op(y[j], x[i], x[i]) for all pairs of corners.
Kernel all_ops(DType dtype);

// The same with minima and maxima in the place of sums and products of floats, which depend on the
// order in which they are taken.
Kernel without_float_sums(Kernel kernel);

// Some of each, random ones, and one with indices of 64 bits.
std::vector<Kernel> sample_kernels();

}  // namespace tutti::codegen::kernel_testing
