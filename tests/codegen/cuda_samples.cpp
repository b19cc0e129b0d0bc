#include "tests/codegen/cuda_samples.h"

#include <random>
#include <utility>

#include "tests/codegen/scalar_corners.h"

namespace tutti::codegen::kernel_testing {

using ir::ScalarOp;

Kernel without_float_sums(Kernel kernel) {
  for (Segment& segment : kernel.segments) {
    for (Reduction& reduction : segment.reductions) {
      if (!is_floating(reduction.dtype)) continue;
      if (reduction.combine == ScalarOp::add) reduction.combine = ScalarOp::maximum;
      if (reduction.combine == ScalarOp::mul) reduction.combine = ScalarOp::minimum;
    }
  }
  return kernel;
}

Kernel map_of(std::int64_t extent, DType from, DType to, std::int64_t offset) {
  KernelMaker maker("map", {3, extent}, {}, VectorAxis::outer, 16);
  maker.point();
  const ValueId x = maker.load(maker.read(from), {offset, {extent, 1}, {}});
  const ValueId y = maker.load(maker.read(from), {0, {0, 1}, {}});
  maker.store(maker.write(to), {0, {extent, 1}, {}},
              maker.cast(maker.op(ScalarOp::maximum, x, y), to));
  return maker.kernel();
}

Kernel rows_of(std::int64_t rows, std::int64_t extent, DType dtype, ScalarOp combine,
               std::int64_t pitch) {
  if (pitch == 0) pitch = extent;
  KernelMaker maker("rows", {rows}, {2, extent}, VectorAxis::inner);
  const Affine row{0, {2 * pitch}, {pitch, 1}};
  const int x = maker.read(dtype);
  maker.loop();
  const ValueId most = maker.reduce(ScalarOp::maximum, maker.load(x, row));
  maker.loop();
  const ValueId less = maker.op(ScalarOp::sub, maker.load(x, row), most);
  const ValueId total = maker.reduce(combine, less);
  maker.point();
  const DType stored = maker.type(total);
  maker.store(maker.write(stored), {0, {1}, {}}, maker.op(ScalarOp::sub, total, most));
  maker.loop();
  maker.store(maker.write(dtype), row, maker.op(ScalarOp::sub, maker.load(x, row), most));
  return maker.kernel();
}

Kernel columns_of(std::int64_t columns, std::int64_t height, DType dtype, ScalarOp combine) {
  KernelMaker maker("columns", {columns}, {height}, VectorAxis::outer, 64);
  maker.loop();
  const ValueId x = maker.load(maker.read(dtype), {0, {1}, {columns}});
  const ValueId result = maker.reduce(combine, x);
  maker.point();
  maker.store(maker.write(maker.type(result)), {0, {1}, {}}, result);
  return maker.kernel();
}

Kernel turned(std::int64_t rows, std::int64_t columns, DType dtype, bool reversed) {
  KernelMaker maker("turned", {3, rows, columns}, {}, VectorAxis::outer, 16);
  const Affine across{reversed ? rows - 1 : 0, {rows * columns, reversed ? -1 : 1, rows}, {}};
  const Affine along{0, {rows * columns, columns, 1}, {}};
  maker.point();
  const ValueId x = maker.load(maker.read(dtype), across);
  const ValueId y = maker.load(maker.read(dtype), along);
  const bool truth = dtype == DType::boolean;
  maker.store(maker.write(dtype), along, maker.op(truth ? ScalarOp::bit_xor : ScalarOp::sub, x, y));
  return maker.kernel();
}

Kernel totals_of(std::int64_t rows, std::int64_t extent, DType dtype, ScalarOp combine) {
  KernelMaker maker("total", {rows}, {extent}, VectorAxis::inner);
  maker.point();
  const ValueId bias = maker.load(maker.read(dtype), {0, {1}, {}});
  maker.loop();
  const ValueId x = maker.load(maker.read(dtype), {0, {extent}, {1}});
  const ValueId result = maker.reduce(combine, maker.op(ScalarOp::maximum, x, bias));
  const ValueId other = maker.reduce(ScalarOp::minimum, x);
  maker.point();
  maker.store(maker.write(dtype), {0, {1}, {}}, maker.op(ScalarOp::maximum, result, bias));
  maker.store(maker.write(dtype), {1, {1}, {}}, other);
  return maker.kernel();
}

Kernel all_ops(DType dtype) {
  KernelMaker maker("ops_of_" + std::string(name_of(dtype)), {kCornerCount, kCornerCount}, {},
                    VectorAxis::outer, 64);
  const Affine at{0, {kCornerCount, 1}, {}};
  maker.point();
  const ValueId x = maker.load(maker.read(dtype), {0, {1, 0}, {}});
  const ValueId y = maker.load(maker.read(dtype), {0, {0, 1}, {}});
  const auto store = [&](ValueId value, DType as) { maker.store(maker.write(as), at, value); };
  const auto store_computed = [&](ValueId value) { store(value, maker.type(value)); };
  for (const ScalarOp op : kScalarOps) {
    if (!scalar_op_takes(op, ir::compute_dtype(dtype))) continue;
    if (op == ScalarOp::select) {
      store_computed(maker.op(op, maker.cast(y, DType::boolean), x, y));
      continue;
    }
    const int operands = ir::operand_count(op);
    store_computed(maker.op(op, y, operands > 1 ? x : -1, operands > 2 ? x : -1));
  }
  for (const DType to : kDTypes) {
    store(maker.cast(y, to), to);
    // A byte that is neither 0 nor 1 is no bool, so that bits are not cast to it.
    if (size_of(to) == size_of(dtype) && to != DType::boolean) {
      store(maker.bitcast(y, dtype, to), to);
    }
  }
  if (ir::compute_dtype(dtype) == DType::f32) {
    store_computed(maker.round(DType::f16, y));
    store_computed(maker.round(DType::bf16, y));
  }
  return maker.kernel();
}

std::vector<Kernel> sample_kernels() {
  std::vector<Kernel> kernels;
  for (const DType dtype : {DType::f32, DType::i16, DType::f64}) {
    kernels.push_back(map_of(64, dtype, DType::bf16));
    kernels.push_back(map_of(67, dtype, DType::f16));
    kernels.push_back(rows_of(100, 20, dtype, ScalarOp::add));
    kernels.push_back(rows_of(7, 5000, dtype, ScalarOp::mul));
    kernels.push_back(columns_of(100, 40, dtype, ScalarOp::add));
    kernels.push_back(columns_of(33, 3000, dtype, ScalarOp::minimum));
    kernels.push_back(totals_of(2, 20000, dtype, ScalarOp::add));
    kernels.push_back(turned(33, 70, dtype));
  }
  kernels.push_back(turned(33, 70, DType::boolean));
  kernels.push_back(map_of(std::int64_t{1} << 31, DType::bf16, DType::bf16));
  kernels.push_back(rows_of(std::int64_t{1} << 20, 4096, DType::f32, ScalarOp::add));
  kernels.push_back(turned(1 << 16, 1 << 16, DType::f32));
  std::mt19937 random(3);
  for (int i = 0; i < 10; ++i) kernels.push_back(random_kernel(random));
  return kernels;
}

}  // namespace tutti::codegen::kernel_testing
