#include <tutti/codegen/cuda/sort.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tests/codegen/device_cases.h"
#include "tests/kernels/kernel_testing.h"
#include "tests/support/run_graph.h"
#include <gmock/gmock.h>

// Running sums, dynamic slices and the pieces of a sort as device code; whole sorts are tested in
// tests/ops.
namespace tutti::codegen::cuda_along_axis_test {
namespace {

using ir::Array;
using ir::Op;
using kernels::kernel_testing::random_array;
using kernels::kernel_testing::random_integers;
using test::DeviceCases;
using test::seen;
using test::Seen;
using testing::HasSubstr;

void add_running(DeviceCases& cases, Op op, const Array& x, std::int64_t axis, bool reverse) {
  const std::vector<ir::Attribute> attributes = {axis, reverse};
  cases.add(test::source_of(op, {seen(x)}, attributes), {seen(x)},
            kernels::kernel_testing::meaning(op, {x}, attributes),
            std::string(name_of(op)) + " of " + std::string(name_of(x.dtype())) + x.shape().text() +
                " along " + std::to_string(axis),
            [op](const Array& result, const Array& expected) {
              if (op == Op::cummax || op == Op::cummin) {
                return bool(test::same_bits(result, expected));
              }
              return bool(test::close(result, expected, 20));
            });
}

constexpr std::array kRunning = {Op::cumsum, Op::cumprod, Op::cummax, Op::cummin};

TEST(DeviceCumulative, EveryDTypeAlongEveryAxis) {
  DeviceCases cases;
  for (const DType dtype : kernels::kernel_testing::number_dtypes()) {
    for (std::int64_t axis = 0; axis < 3; ++axis) {
      for (const Op op : kRunning) {
        add_running(cases, op, random_array(dtype, Shape{3, 4, 5}), axis, axis != 1);
      }
    }
    const auto number = static_cast<std::int64_t>(dtype);
    const Op op = kRunning[static_cast<std::size_t>(number) % kRunning.size()];
    add_running(cases, op, random_array(dtype, Shape{5, 30, 40}), number % 3, number % 2 == 0);
  }
  cases.run();
}

// More than a block has at a time, and rows that a thread has.
TEST(DeviceCumulative, RowsOfAnyLength) {
  DeviceCases cases;
  for (const std::int64_t size : {1, 16, 17, 1023, 1024, 1025, 2500}) {
    for (const bool reverse : {false, true}) {
      add_running(cases, Op::cumsum, random_integers(DType::i32, Shape{2, size}, -100, 100), 1,
                  reverse);
      add_running(cases, Op::cumsum, random_array(DType::f32, Shape{size, 3}), 0, reverse);
    }
  }
  Array behind_a_zero(DType::f32, Shape{300});
  std::ranges::fill(behind_a_zero.data<float>(), 2.0F);
  behind_a_zero.data<float>()[0] = 0;
  add_running(cases, Op::cumprod, behind_a_zero, 0, false);
  Array special = random_array(DType::f32, Shape{300});
  special.data<float>()[100] = -0.0F;
  special.data<float>()[200] = NAN;
  special.data<float>()[290] = INFINITY;
  for (const Op op : {Op::cummax, Op::cummin}) {
    add_running(cases, op, special, 0, false);
    add_running(cases, op, special, 0, true);
    add_running(cases, op, random_integers(DType::i16, Shape{2, 1025}, -30000, 30000), 1, true);
    add_running(cases, op, random_array(DType::bf16, Shape{2, 1025}), 1, false);
  }
  add_running(cases, Op::cumsum, random_array(DType::f32, Shape{20, 17, 1000}), 1, false);
  add_running(cases, Op::cumsum, Array(DType::f32, Shape{3, 0}), 1, false);
  add_running(cases, Op::cumsum, Array(DType::f32, Shape{0, 3}), 1, false);
  cases.run();
}

TEST(DeviceSort, LongRowsTakeTwoKernels) {
  const auto view = [](DType dtype, const Shape& shape) {
    return View{.base = {}, .dtype = dtype, .shape = shape, .strides = shape.strides()};
  };
  EXPECT_EQ(cuda::sorted_runs_bytes(view(DType::f32, {3, 1024}), 1), 0);
  EXPECT_EQ(cuda::sorted_runs_bytes(view(DType::f32, {3, 1025}), 1), 3 * 1025 * 8);
  EXPECT_EQ(cuda::sorted_runs_bytes(view(DType::i8, {1025, 3}), 0), 3 * 1025 * 8);
  EXPECT_EQ(cuda::sorted_runs_bytes(view(DType::f64, {1025, 3}), 0), 3 * 1025 * 16);
  EXPECT_EQ(cuda::sorted_runs_bytes(view(DType::f64, {1025, 3}), 1), 0);
  const View rows = view(DType::f32, {1000, 8});
  EXPECT_THAT(cuda::sort_source(rows, 1, false).text, HasSubstr("int rows = 128;"));
}

void add_slices(DeviceCases& cases, DType dtype, DType index, const Shape& x, const Shape& part,
                unsigned seed) {
  const Seen operand = seen(random_array(dtype, x));
  const Seen update = seen(random_array(dtype, part, 5));
  const Seen starts = seen(random_integers(index, Shape{x.rank()}, -3, 9, seed));
  const std::string what = std::string(name_of(dtype)) + part.text() + " of " + x.text();
  cases.add(Op::dynamic_slice, {operand, starts},
            {std::vector<std::int64_t>(part.begin(), part.end())}, "slice " + what);
  cases.add(Op::dynamic_update_slice, {operand, update, starts}, {}, "update of " + what);
}

TEST(DeviceDynamicSlice, AnyShape) {
  DeviceCases cases;
  for (const DType dtype : {DType::u8, DType::bf16, DType::f32, DType::f64}) {
    for (const unsigned seed : {1U, 2U}) {
      add_slices(cases, dtype, DType::i64, {}, {}, seed);
      add_slices(cases, dtype, DType::i64, {9}, {4}, seed);
      add_slices(cases, dtype, DType::i32, {7, 5}, {3, 2}, seed);
      add_slices(cases, dtype, DType::i64, {4, 20, 16}, {4, 1, 16}, seed);
      add_slices(cases, dtype, DType::i64, {4, 20, 16}, {2, 20, 16}, seed);
      add_slices(cases, dtype, DType::i64, {4, 6, 16}, {2, 3, 8}, seed);
      add_slices(cases, dtype, DType::u16, {7, 5}, {7, 0}, seed);
      add_slices(cases, dtype, DType::i64, {0, 5}, {0, 3}, seed);
      add_slices(cases, dtype, DType::i8, {2, 1, 3, 2, 1, 2, 2, 3}, {1, 1, 2, 2, 1, 1, 2, 2}, seed);
    }
  }
  cases.run();
}

TEST(DeviceDynamicSlice, StartsOfEveryDType) {
  DeviceCases cases;
  for (const DType dtype : kernels::kernel_testing::integer_dtypes()) {
    add_slices(cases, DType::f32, dtype, {7, 5}, {3, 2}, 3);
    const Seen far = seen(random_array(dtype, Shape{2}));
    cases.add(Op::dynamic_slice, {seen(random_array(DType::f32, Shape{7, 5})), far},
              {std::vector<std::int64_t>{2, 2}}, "slice by " + std::string(name_of(dtype)));
  }
  cases.run();
}

TEST(DeviceDynamicSlice, TakesSixteenBytesWhereItCan) {
  const auto text = [](const Shape& x, const Shape& part) {
    return test::source_of(Op::dynamic_slice,
                           {seen(Array(DType::f32, x)), seen(Array(DType::i64, Shape{x.rank()}))},
                           {std::vector<std::int64_t>(part.begin(), part.end())})
        .text;
  };
  EXPECT_THAT(text({4, 20, 16}, {4, 1, 16}), HasSubstr("using Element = Pack<u32, 4>;"));
  EXPECT_THAT(text({4, 20, 16}, {4, 1, 12}), HasSubstr("using Element = u32;"));
}

}  // namespace
}  // namespace tutti::codegen::cuda_along_axis_test
