#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tests/codegen/kernel_maker.h"

namespace tutti::codegen::kernel_testing {

// b3[i][j] = (b0[i][j] + b1[j]) * b2[i][j], and in b4, which is wider or narrower, the larger of
// that and the number of the element; b0 is what is given.
inline Kernel following(DType dtype, DType other, std::int64_t rows, std::int64_t columns) {
  KernelMaker maker("add_mul", {rows, columns}, {}, VectorAxis::outer, 64);
  const int given = maker.read(dtype);
  const int bias = maker.read(dtype);
  const int factor = maker.read(dtype);
  const int result = maker.write(dtype);
  const int second = maker.write(other);
  maker.point();
  const Affine dense{.outer = {columns, 1}, .inner = {}};
  const auto rounded = [&](ValueId value) {
    return is_narrow_floating(dtype) ? maker.round(dtype, value) : value;
  };
  const ValueId sum = rounded(maker.op(ir::ScalarOp::add, maker.load(given, dense),
                                       maker.load(bias, {.outer = {0, 1}, .inner = {}})));
  const ValueId product = rounded(maker.op(ir::ScalarOp::mul, sum, maker.load(factor, dense)));
  maker.store(result, dense, product);
  const ValueId number = maker.cast(maker.index(dense), ir::compute_dtype(other));
  maker.store(
      second, dense,
      maker.op(ir::ScalarOp::maximum, maker.cast(product, ir::compute_dtype(other)), number));
  return maker.kernel();
}

// b3[i][j] = (b0[j] - b1[i][j]) * b2[i], where b1 is of another dtype; b3 is the operand.
inline Kernel leading(DType dtype, DType other, std::int64_t rows, std::int64_t columns) {
  KernelMaker maker("sub_mul", {rows, columns}, {}, VectorAxis::outer, 64);
  const int bias = maker.read(dtype);
  const int second = maker.read(other);
  const int factor = maker.read(dtype);
  const int operand = maker.write(dtype);
  maker.point();
  const Affine dense{.outer = {columns, 1}, .inner = {}};
  const auto rounded = [&](ValueId value) {
    return is_narrow_floating(dtype) ? maker.round(dtype, value) : value;
  };
  const ValueId converted =
      rounded(maker.cast(maker.load(second, dense), ir::compute_dtype(dtype)));
  const ValueId difference = rounded(
      maker.op(ir::ScalarOp::sub, maker.load(bias, {.outer = {0, 1}, .inner = {}}), converted));
  maker.store(operand, dense,
              rounded(maker.op(ir::ScalarOp::mul, difference,
                               maker.load(factor, {.outer = {1, 0}, .inner = {}}))));
  return maker.kernel();
}

// Tensors that they are tried with.
struct CompanionCase {
  DType dtype;
  DType other;
  std::int64_t rows;
  std::int64_t columns;
};
inline std::vector<CompanionCase> companion_cases() {
  std::vector<CompanionCase> out;
  for (const auto& [dtype, other] :
       {std::pair{DType::f32, DType::bf16}, std::pair{DType::f64, DType::f32},
        std::pair{DType::f16, DType::f64}, std::pair{DType::bf16, DType::f32},
        std::pair{DType::i8, DType::i64}, std::pair{DType::u8, DType::i32},
        std::pair{DType::i32, DType::i8}, std::pair{DType::u64, DType::u16},
        std::pair{DType::u32, DType::f16}, std::pair{DType::i64, DType::u8}}) {
    // Of packs, and of others. Each is a text of its own: of some dtypes one is enough.
    for (const auto& [rows, columns] :
         {std::pair<std::int64_t, std::int64_t>{1, 1}, {7, 1}, {1, 1003}, {25, 40}, {13, 77}}) {
      const bool is_chosen =
          rows == 13 || dtype == DType::f32 || (dtype == DType::i8 && rows == 25);
      if (is_chosen) out.push_back({dtype, other, rows, columns});
    }
  }
  return out;
}

}  // namespace tutti::codegen::kernel_testing
