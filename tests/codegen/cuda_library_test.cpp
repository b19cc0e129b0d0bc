#include <tutti/codegen/cuda/library.h>
#include <tutti/ir/support/error.h>

#include <limits>

#include "tests/codegen/device_cases.h"
#include "tests/kernels/kernel_testing.h"
#include <gmock/gmock.h>

namespace tutti::codegen::cuda_library_test {
namespace {

using ir::Array;
using ir::Op;
using kernels::kernel_testing::random_array;
using kernels::kernel_testing::random_integers;
using test::DeviceCases;
using test::seen;
using test::Seen;
using testing::HasSubstr;

constexpr DType kWidths[] = {DType::u8, DType::bf16, DType::f32, DType::f64};

std::string text_of(const Seen& seen) {
  std::string text = std::string(name_of(seen.view.dtype)) + seen.view.shape.text() + " strides";
  for (int d = 0; d < seen.view.shape.rank(); ++d) {
    text += " " + std::to_string(seen.view.strides[static_cast<std::size_t>(d)]);
  }
  return text + " from " + std::to_string(seen.view.offset);
}

void add_copy(DeviceCases& cases, const Seen& x) {
  cases.add(cuda::device_strided_copy(x.view), {x}, test::dense(x), "copy of " + text_of(x));
}

TEST(DeviceCopy, TransposesThroughSharedMemory) {
  DeviceCases cases;
  for (const DType dtype : kWidths) {
    add_copy(cases, seen(random_array(dtype, Shape{40, 70}), Shape{70, 40}, {1, 70}));
    add_copy(cases,
             seen(random_array(dtype, Shape{3, 33, 65}), Shape{3, 65, 33}, {33 * 65, 1, 65}));
    // [2, 9, 4, 35] with its axes 1 and 3 exchanged.
    add_copy(cases, seen(random_array(dtype, Shape{2, 9, 4, 35}), Shape{2, 35, 4, 9},
                         {9 * 4 * 35, 1, 35, 4 * 35}));
    // The columns reversed.
    add_copy(cases, seen(random_array(dtype, Shape{20, 40}), Shape{40, 20}, {1, -40}, 19 * 40));
  }
  const Seen x = seen(random_array(DType::f32, Shape{40, 70}), Shape{70, 40}, {1, 70});
  EXPECT_THAT(cuda::device_strided_copy(x.view).text, HasSubstr("move_squares<Copy>"));
  cases.run();
}

TEST(DeviceCopy, AnyStrides) {
  DeviceCases cases;
  for (const DType dtype : kWidths) {
    // Every second of every third, from the middle; reversed; broadcast; thin transposes.
    add_copy(cases, seen(random_array(dtype, Shape{20, 30}), Shape{6, 14}, {90, 2}, 31));
    add_copy(cases, seen(random_array(dtype, Shape{7, 16}), Shape{7, 16}, {-16, -1}, 7 * 16 - 1));
    add_copy(cases, seen(random_array(dtype, Shape{5}), Shape{5, 12}, {1, 0}));
    add_copy(cases, seen(random_array(dtype, Shape{12}), Shape{5, 12}, {0, 1}));
    add_copy(cases, seen(random_array(dtype, Shape{1}), Shape{3, 5}, {0, 0}));
    add_copy(cases, seen(random_array(dtype, Shape{50, 3}), Shape{3, 50}, {1, 3}));
    // Columns of a matrix, at places that wide accesses take and at others.
    add_copy(cases, seen(random_array(dtype, Shape{9, 64}), Shape{9, 32}, {64, 1}, 16));
    add_copy(cases, seen(random_array(dtype, Shape{9, 64}), Shape{9, 32}, {64, 1}, 15));
    add_copy(cases, seen(random_array(dtype, Shape{9, 63}), Shape{9, 7}, {63, 1}, 2));
    add_copy(cases, seen(random_array(dtype, Shape{}), Shape{}, {}));
    add_copy(cases, seen(random_array(dtype, Shape{2000}), Shape{2, 1, 999}, {1000, 7, 1}, 1));
    add_copy(cases, seen(random_array(dtype, Shape{4}), Shape{0, 3}, {3, 1}));
  }
  cases.run();
}

TEST(DeviceCopy, TakesSixteenBytesWhereItCan) {
  const Seen aligned = seen(Array(DType::f32, Shape{9, 64}), Shape{9, 32}, {64, 1}, 16);
  EXPECT_THAT(cuda::device_strided_copy(aligned.view).text, HasSubstr("int width = 4;"));
  const Seen shifted = seen(Array(DType::f32, Shape{9, 64}), Shape{9, 32}, {64, 1}, 15);
  EXPECT_THAT(cuda::device_strided_copy(shifted.view).text, HasSubstr("int width = 1;"));
}

TEST(DeviceCopy, CountsIn64BitsWhereItMust) {
  const std::int64_t many = std::int64_t{1} << 31;
  View view{.base = {}, .dtype = DType::u8, .shape = Shape{2, many}, .strides = {many, 1}};
  EXPECT_THAT(cuda::device_strided_copy(view).text, HasSubstr("using Count = u64;"));
  view.shape = Shape{2, many / 4};
  view.strides = {many / 4, 1};
  EXPECT_THAT(cuda::device_strided_copy(view).text, HasSubstr("using Count = u32;"));
  // Few elements, far apart.
  view.shape = Shape{3};
  view.strides = {many};
  EXPECT_THAT(cuda::device_strided_copy(view).text, HasSubstr("using Count = u64;"));
}

TEST(DeviceConcat, AlongEveryAxis) {
  DeviceCases cases;
  for (const DType dtype : kWidths) {
    for (std::int64_t axis = 0; axis < 3; ++axis) {
      std::vector<Seen> operands;
      for (const std::int64_t size : {4, 0, 1, 9}) {
        std::array<std::int64_t, 3> sizes = {5, 3, 8};
        sizes[static_cast<std::size_t>(axis)] = size;
        operands.push_back(seen(random_array(dtype, Shape(sizes), static_cast<unsigned>(size))));
      }
      cases.add(Op::concat, operands, {axis},
                "concat of " + std::string(name_of(dtype)) + " along " + std::to_string(axis));
    }
    cases.add(Op::concat,
              {seen(random_array(dtype, Shape{30, 40}), Shape{40, 30}, {1, 40}),
               seen(random_array(dtype, Shape{4}), Shape{40, 2}, {0, 2}, 1)},
              {std::int64_t{1}}, "concat of strided " + std::string(name_of(dtype)));
    cases.add(Op::concat, {seen(Array(dtype, Shape{0, 3})), seen(Array(dtype, Shape{0, 3}))},
              {std::int64_t{0}}, "concat of nothing");
  }
  cases.run();
}

using Integers = std::vector<std::int64_t>;

void add_pad(DeviceCases& cases, const Seen& x, const Integers& low, const Integers& high,
             const Integers& interior) {
  cases.add(Op::pad, {x, seen(random_array(x.view.dtype, Shape{}, 3))}, {low, high, interior},
            "pad of " + text_of(x));
}

TEST(DevicePad, LowHighAndInterior) {
  DeviceCases cases;
  for (const DType dtype : kWidths) {
    const auto x = [&](const Shape& shape) { return seen(random_array(dtype, shape)); };
    add_pad(cases, x({3, 5}), {1, 2}, {0, 4}, {2, 1});
    add_pad(cases, x({3, 5}), {0, 0}, {0, 0}, {0, 0});
    add_pad(cases, x({3, 16}), {0, 16}, {0, 32}, {0, 0});
    add_pad(cases, x({3, 16}), {1, 0}, {2, 0}, {1, 0});
    add_pad(cases, x({2, 3, 16}), {0, 1, 0}, {0, 2, 0}, {0, 0, 0});
    add_pad(cases, x({1}), {3}, {2}, {5});
    add_pad(cases, x({0, 4}), {2, 1}, {1, 0}, {3, 0});
    add_pad(cases, x({0, 4}), {0, 1}, {0, 0}, {0, 0});
    add_pad(cases, x({}), {}, {}, {});
    add_pad(cases, seen(random_array(dtype, Shape{16, 9}), Shape{9, 16}, {1, 9}), {1, 0}, {0, 3},
            {0, 2});
    add_pad(cases, seen(random_array(dtype, Shape{8, 32}), Shape{4, 16}, {-64, 1}, 192 + 16),
            {1, 16}, {0, 0}, {0, 0});
  }
  cases.run();
}

TEST(DeviceTake, EveryDTypeAlongEveryAxis) {
  DeviceCases cases;
  for (const DType dtype : kernels::kernel_testing::kAllDTypes) {
    const Seen indices = seen(random_integers(DType::i32, Shape{2, 6}, -3, 9));
    for (std::int64_t axis = 0; axis < 3; ++axis) {
      cases.add(Op::take, {seen(random_array(dtype, Shape{3, 5, 16})), indices}, {axis},
                "take of " + std::string(name_of(dtype)) + " along " + std::to_string(axis));
    }
  }
  cases.run();
}

TEST(DeviceTake, EveryIndexDType) {
  DeviceCases cases;
  const Seen x = seen(random_array(DType::f32, Shape{4, 9, 3}));
  const Seen wide = seen(random_array(DType::i16, Shape{300, 5}));
  for (const DType dtype : kernels::kernel_testing::integer_dtypes()) {
    const std::string by = " by " + std::string(name_of(dtype));
    // Far out of range, too.
    cases.add(Op::take, {x, seen(random_array(dtype, Shape{11}))}, {std::int64_t{1}}, "take" + by);
    cases.add(Op::take, {wide, seen(random_array(dtype, Shape{40}))}, {std::int64_t{0}},
              "take" + by);
    cases.add(Op::take_along_axis, {wide, seen(random_array(dtype, Shape{7, 5}))},
              {std::int64_t{0}}, "take_along_axis" + by);
    cases.add(
        Op::scatter_add,
        {x, seen(random_array(dtype, Shape{20})), seen(random_array(DType::f32, Shape{4, 20, 3}))},
        {std::int64_t{1}}, "scatter_add" + by);
  }
  cases.run();
}

TEST(DeviceTake, Nothing) {
  DeviceCases cases;
  const auto add = [&](const Shape& x, const Shape& indices, std::int64_t axis) {
    cases.add(Op::take, {seen(Array(DType::f32, x)), seen(Array(DType::i64, indices))}, {axis},
              "take from " + x.text() + " by " + indices.text());
  };
  add({4, 3}, {0}, 0);
  add({0, 3}, {0, 2}, 0);
  add({0, 3}, {2}, 1);
  add({3, 0}, {2}, 0);
  cases.run();
}

TEST(DeviceTakeAlongAxis, EveryDTypeAlongEveryAxis) {
  DeviceCases cases;
  for (const DType dtype : kernels::kernel_testing::kAllDTypes) {
    const Seen x = seen(random_array(dtype, Shape{4, 5, 6}));
    const std::string what = "take_along_axis of " + std::string(name_of(dtype));
    const auto indices = [](const Shape& shape) {
      return seen(random_integers(DType::i64, shape, -2, 7));
    };
    cases.add(Op::take_along_axis, {x, indices({2, 5, 6})}, {std::int64_t{0}}, what);
    cases.add(Op::take_along_axis, {x, indices({4, 9, 6})}, {std::int64_t{1}}, what);
    cases.add(Op::take_along_axis, {x, indices({4, 5, 1})}, {std::int64_t{2}}, what);
    cases.add(Op::take_along_axis, {x, indices({4, 0, 6})}, {std::int64_t{1}}, what);
  }
  cases.run();
}

void add_scatter(DeviceCases& cases, DType dtype, const Shape& shape, const Array& indices,
                 std::int64_t axis) {
  std::vector<std::int64_t> sizes(shape.begin(), shape.begin() + axis);
  sizes.insert(sizes.end(), indices.shape().begin(), indices.shape().end());
  sizes.insert(sizes.end(), shape.begin() + axis + 1, shape.end());
  cases.add(
      Op::scatter_add,
      {seen(random_array(dtype, shape)), seen(indices), seen(random_array(dtype, Shape(sizes), 5))},
      {axis},
      "scatter_add to " + std::string(name_of(dtype)) + shape.text() + " by " +
          indices.shape().text() + " along " + std::to_string(axis));
}

TEST(DeviceScatterAdd, EveryDTypeAlongEveryAxis) {
  DeviceCases cases;
  for (const DType dtype : kernels::kernel_testing::number_dtypes()) {
    for (std::int64_t axis = 0; axis < 3; ++axis) {
      add_scatter(cases, dtype, Shape{3, 5, 8}, random_integers(DType::i32, Shape{2, 6}, -2, 8),
                  axis);
      add_scatter(cases, dtype, Shape{2, 4, 3}, random_integers(DType::i32, Shape{40}, -2, 8),
                  axis);
    }
  }
  cases.run();
}

TEST(DeviceScatterAdd, ManyIndices) {
  DeviceCases cases;
  for (const DType dtype : {DType::f32, DType::bf16}) {
    // More than a block collects at a time: some rows get far more than others.
    add_scatter(cases, dtype, Shape{5, 8}, random_integers(DType::i64, Shape{5'000}, -1, 5), 0);
    Array skewed = random_integers(DType::i64, Shape{5'000}, 0, 40);
    for (std::size_t i = 0; i < 5'000; i += 2) skewed.data<std::int64_t>()[i] = 39;
    add_scatter(cases, dtype, Shape{40, 3}, skewed, 0);
    // Several strips of columns, the last one narrow.
    add_scatter(cases, dtype, Shape{6, 4 * 170}, random_integers(DType::i32, Shape{100}, 0, 5), 0);
    add_scatter(cases, dtype, Shape{9, 3, 5}, random_integers(DType::u8, Shape{60}, 0, 2), 1);
    // Several rows in a block.
    add_scatter(cases, dtype, Shape{3, 50, 1}, random_integers(DType::i64, Shape{200}, 0, 49), 1);
  }
  cases.run();
}

TEST(DeviceScatterAdd, MayWriteOverItsOperand) {
  DeviceCases cases;
  for (const std::int64_t count : {5, 60}) {
    cases.add_in_place(Op::scatter_add,
                       {seen(random_array(DType::f32, Shape{9, 70})),
                        seen(random_integers(DType::i64, Shape{count}, -1, 12)),
                        seen(random_array(DType::f32, Shape{count, 70}, 5))},
                       {std::int64_t{0}}, "scatter_add of " + std::to_string(count));
  }
  cases.run();
}

TEST(DeviceScatterAdd, Nothing) {
  DeviceCases cases;
  add_scatter(cases, DType::f32, Shape{4, 3}, Array(DType::i64, Shape{0}), 0);
  add_scatter(cases, DType::f32, Shape{0, 3}, Array(DType::i64, Shape{5}), 0);
  add_scatter(cases, DType::f32, Shape{3, 0}, Array(DType::i64, Shape{50}), 0);
  cases.run();
}

TEST(DeviceArgReduce, EveryDTypeAlongEveryAxis) {
  DeviceCases cases;
  for (const DType dtype : kernels::kernel_testing::number_dtypes()) {
    for (const Op op : {Op::argmax, Op::argmin}) {
      for (std::int64_t axis = 0; axis < 3; ++axis) {
        cases.add(op, {seen(random_array(dtype, Shape{9, 5, 40}))}, {axis, false},
                  std::string(name_of(op)) + " of " + std::string(name_of(dtype)) + " along " +
                      std::to_string(axis));
      }
    }
  }
  cases.run();
}

// Rows that a thread, a warp and a block search, with ties and NaNs.
TEST(DeviceArgReduce, FirstOfEqualOnesAndOfNaNs) {
  DeviceCases cases;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const std::int64_t size : {1, 2, 7, 16, 17, 100, 2'500}) {
    for (const Op op : {Op::argmax, Op::argmin}) {
      Array x = random_integers(DType::i32, Shape{6, size}, -2, 2, static_cast<unsigned>(size));
      Array floats(DType::f32, Shape{6, size});
      for (std::size_t i = 0; i < static_cast<std::size_t>(6 * size); ++i) {
        const auto value = static_cast<float>(x.data<std::int32_t>()[i]);
        const std::size_t row = i / static_cast<std::size_t>(size);
        const bool is_nan = row == 5 || (row == 4 && i % 3 == 1) || (row == 3 && i % 1000 == 999);
        floats.data<float>()[i] = is_nan ? nan : row == 2 ? value * 0 : value;
      }
      const std::string what = std::string(name_of(op)) + " of " + std::to_string(size);
      cases.add(op, {seen(x)}, {std::int64_t{1}, false}, what);
      cases.add(op, {seen(floats)}, {std::int64_t{1}, true}, what);
      cases.add(op, {seen(floats.reshaped(Shape{size, 6}))}, {std::int64_t{0}, false}, what);
    }
  }
  cases.run();
}

TEST(DeviceArgReduce, VeryLongSequences) {
  DeviceCases cases;
  Array x = random_integers(DType::i32, Shape{70'000}, 0, 1'000);
  x.data<std::int32_t>()[65'000] = x.data<std::int32_t>()[65'001] = 2'000;
  cases.add(Op::argmax, {seen(x)}, {std::int64_t{0}, false}, "argmax of many");
  cases.run();
}

Seen key(std::uint64_t value) { return seen(Array::scalar(value)); }

TEST(DeviceRandom, BitsAndUniformNumbersAreTheHosts) {
  DeviceCases cases;
  for (const std::int64_t size : {0, 1, 2, 3, 4, 5, 1023, 2100}) {
    const Integers shape = {size};
    cases.add(Op::random_bits, {key(0x0123456789ABCDEFU)}, {shape},
              "random_bits of " + std::to_string(size));
    for (const DType dtype : kernels::kernel_testing::floating_dtypes()) {
      cases.add(Op::uniform, {key(99)}, {dtype, shape},
                "uniform " + std::string(name_of(dtype)) + " of " + std::to_string(size));
    }
  }
  const Array numbers = random_array(DType::u64, Shape{300});
  cases.add(Op::fold_in, {key(5), seen(numbers)}, {}, "fold_in");
  cases.add(Op::fold_in, {key(5), seen(Array(DType::u64, Shape{0}))}, {}, "fold_in of nothing");
  cases.run();
}

TEST(DeviceRandom, NormalNumbersAreTheHosts) {
  DeviceCases cases;
  for (const DType dtype : kernels::kernel_testing::floating_dtypes()) {
    const std::vector<ir::Attribute> attributes = {dtype, Integers{2'001}};
    const Array expected =
        kernels::kernel_testing::meaning(Op::normal, {key(7).storage}, attributes);
    cases.add(test::source_of(Op::normal, {key(7)}, attributes), {key(7)}, expected,
              "normal " + std::string(name_of(dtype)));
  }
  cases.run();
}

}  // namespace
}  // namespace tutti::codegen::cuda_library_test
