#include <tutti/ir/scalar.h>

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace tutti::ir::scalar_test {
namespace {

Cell integer(std::int64_t value) { return {.integer = value}; }
Cell number(double value) { return {.number = value}; }

std::int64_t i32(ScalarOp op, std::int64_t x, std::int64_t y) {
  return evaluate(op, DType::i32, {integer(x), integer(y)}).integer;
}
double f64(ScalarOp op, double x, double y = 0) {
  return evaluate(op, DType::f64, {number(x), number(y)}).number;
}
Cell cast(DType from, Cell x, DType to) { return evaluate(ScalarOp::cast, from, {x}, to); }

constexpr std::int64_t kLeast = INT32_MIN;

TEST(Scalar, IntegersWrapAndNeverTrap) {
  EXPECT_EQ(i32(ScalarOp::add, INT32_MAX, 1), kLeast);
  EXPECT_EQ(i32(ScalarOp::sub, kLeast, 1), INT32_MAX);
  EXPECT_EQ(i32(ScalarOp::mul, 1 << 20, 1 << 20), 0);
  EXPECT_EQ(i32(ScalarOp::div, 7, 0), -1);
  EXPECT_EQ(i32(ScalarOp::div, kLeast, -1), kLeast);
  EXPECT_EQ(i32(ScalarOp::div, -7, 2), -3);
  EXPECT_EQ(i32(ScalarOp::mod, -7, 2), -1);
  EXPECT_EQ(i32(ScalarOp::mod, 7, 0), 7);
  EXPECT_EQ(i32(ScalarOp::mod, kLeast, -1), 0);
  EXPECT_EQ(evaluate(ScalarOp::neg, DType::i32, {integer(kLeast)}).integer, kLeast);
  EXPECT_EQ(evaluate(ScalarOp::abs, DType::i32, {integer(kLeast)}).integer, kLeast);
}

TEST(Scalar, UnsignedDivisionByZeroIsAllOnes) {
  const auto divide = [](DType dtype, std::uint64_t x) {
    return evaluate(ScalarOp::div, dtype, {Cell{.natural = x}, Cell{.natural = 0}}).natural;
  };
  EXPECT_EQ(divide(DType::u8, 7), 255U);
  EXPECT_EQ(divide(DType::u64, 7), UINT64_MAX);
}

TEST(Scalar, ShiftsPastTheWidth) {
  EXPECT_EQ(i32(ScalarOp::shift_left, 1, 31), kLeast);
  EXPECT_EQ(i32(ScalarOp::shift_left, 1, 32), 0);
  EXPECT_EQ(i32(ScalarOp::shift_left, 1, -1), 0);
  EXPECT_EQ(i32(ScalarOp::shift_right, -8, 1), -4);
  EXPECT_EQ(i32(ScalarOp::shift_right, -8, 40), -1);
  EXPECT_EQ(i32(ScalarOp::shift_right, 8, 40), 0);
}

TEST(Scalar, MinimumAndMaximumPropagateNan) {
  for (const ScalarOp op : {ScalarOp::minimum, ScalarOp::maximum}) {
    EXPECT_TRUE(std::isnan(f64(op, NAN, 1)));
    EXPECT_TRUE(std::isnan(f64(op, 1, NAN)));
  }
  EXPECT_EQ(f64(ScalarOp::maximum, 1, 2), 2);
}

TEST(Scalar, RoundsToEven) {
  EXPECT_EQ(f64(ScalarOp::round, 0.5), 0);
  EXPECT_EQ(f64(ScalarOp::round, 1.5), 2);
  EXPECT_EQ(f64(ScalarOp::round, 2.5), 2);
  EXPECT_EQ(f64(ScalarOp::round, -1.5), -2);
}

TEST(Scalar, FloatToIntegerSaturates) {
  EXPECT_EQ(cast(DType::f64, number(1e30), DType::i32).integer, INT32_MAX);
  EXPECT_EQ(cast(DType::f64, number(-1e30), DType::i64).integer, INT64_MIN);
  EXPECT_EQ(cast(DType::f64, number(0x1p63), DType::i64).integer, INT64_MAX);
  EXPECT_EQ(cast(DType::f64, number(-1), DType::u8).natural, 0U);
  EXPECT_EQ(cast(DType::f64, number(0x1p64), DType::u64).natural, UINT64_MAX);
  EXPECT_EQ(cast(DType::f64, number(NAN), DType::i32).integer, 0);
  EXPECT_EQ(cast(DType::f64, number(-1.9), DType::i8).integer, -1);
  EXPECT_TRUE(cast(DType::f64, number(NAN), DType::boolean).truth);
  EXPECT_FALSE(cast(DType::f64, number(-0.0), DType::boolean).truth);
}

TEST(Scalar, IntegerToNarrowerIntegerWraps) {
  EXPECT_EQ(cast(DType::i32, integer(300), DType::u8).natural, 44U);
  EXPECT_EQ(cast(DType::i32, integer(200), DType::i8).integer, -56);
}

TEST(Scalar, CellsKeepEveryDtypesElements) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    std::array<std::byte, 8> bytes{};
    store_cell(dtype, cell_of(compute_dtype(dtype), 1), bytes.data());
    std::array<std::byte, 8> again{};
    store_cell(dtype, load_cell(dtype, bytes.data()), again.data());
    EXPECT_EQ(bytes, again) << name_of(dtype);
    EXPECT_NE(bytes, (std::array<std::byte, 8>{}));
  }
}

TEST(Scalar, PrimitivesHaveNamesAndOperands) {
  EXPECT_EQ(name_of(ScalarOp::shift_left), "shift_left");
  EXPECT_EQ(operand_count(ScalarOp::select), 3);
  EXPECT_EQ(operand_count(ScalarOp::constant), 0);
}

}  // namespace
}  // namespace tutti::ir::scalar_test
