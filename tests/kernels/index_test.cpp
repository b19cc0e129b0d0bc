#include <tutti/ir/support/error.h>
#include <tutti/kernels/host/index.h>

#include "tests/kernels/kernel_testing.h"

namespace tutti::kernels::index_test {
namespace {

using kernel_testing::Array;

std::string text_of(DType dtype, DType index_dtype, const Shape& shape, const Shape& indices,
                    std::int64_t axis) {
  return std::string(name_of(dtype)) + shape.text() + " by " + std::string(name_of(index_dtype)) +
         indices.text() + " along " + std::to_string(axis);
}

std::int64_t product(const Shape& shape, std::int64_t first, std::int64_t last) {
  std::int64_t elements = 1;
  for (std::int64_t d = first; d < last; ++d) elements *= shape[static_cast<int>(d)];
  return elements;
}

// The fields that all the specs share.
template <class Spec>
Spec around_axis(const Array& x, const Array& indices, std::int64_t axis) {
  Spec spec;
  if constexpr (requires { spec.element_size; }) {
    spec.element_size = size_of(x.dtype());
  } else {
    spec.dtype = x.dtype();
  }
  spec.index_dtype = indices.dtype();
  spec.outer = product(x.shape(), 0, axis);
  spec.size = x.shape()[static_cast<int>(axis)];
  spec.inner = product(x.shape(), axis + 1, x.shape().rank());
  spec.count = indices.elements();
  return spec;
}

void check_take(const Array& x, const Array& indices, std::int64_t axis) {
  const auto spec = around_axis<Take>(x, indices, axis);
  kernel_testing::expect_result(
      spec, kernel_testing::meaning(ir::Op::take, {x, indices}, {axis}),
      [&](void* result, std::int64_t begin, std::int64_t end) {
        run(spec, x.bytes().data(), indices.bytes().data(), result, begin, end);
      },
      "take " + text_of(x.dtype(), indices.dtype(), x.shape(), indices.shape(), axis));
}

void check_take_along_axis(const Array& x, const Array& indices, std::int64_t axis) {
  auto spec = around_axis<TakeAlongAxis>(x, indices, axis);
  spec.count = indices.shape()[static_cast<int>(axis)];
  kernel_testing::expect_result(
      spec, kernel_testing::meaning(ir::Op::take_along_axis, {x, indices}, {axis}),
      [&](void* result, std::int64_t begin, std::int64_t end) {
        run(spec, x.bytes().data(), indices.bytes().data(), result, begin, end);
      },
      "take_along_axis " + text_of(x.dtype(), indices.dtype(), x.shape(), indices.shape(), axis));
}

void check_scatter_add(const Array& x, const Array& indices, std::int64_t axis) {
  const auto spec = around_axis<ScatterAdd>(x, indices, axis);
  const Array updates =
      kernel_testing::random_array(x.dtype(), Shape{spec.outer, spec.count, spec.inner}, 5);
  std::vector<std::int64_t> sizes(x.shape().begin(), x.shape().begin() + axis);
  sizes.insert(sizes.end(), indices.shape().begin(), indices.shape().end());
  sizes.insert(sizes.end(), x.shape().begin() + axis + 1, x.shape().end());
  const Array expected = kernel_testing::meaning(
      ir::Op::scatter_add, {x, indices, updates.reshaped(Shape(sizes))}, {axis});
  const std::string what =
      "scatter_add " + text_of(x.dtype(), indices.dtype(), x.shape(), indices.shape(), axis);
  kernel_testing::expect_result(
      spec, expected,
      [&](void* result, std::int64_t begin, std::int64_t end) {
        run(spec, x.bytes().data(), indices.bytes().data(), updates.bytes().data(), result, begin,
            end);
      },
      what);
  Array in_place = x;
  run(spec, in_place.bytes().data(), indices.bytes().data(), updates.bytes().data(),
      in_place.bytes().data(), 0, tiles(spec));
  EXPECT_EQ(in_place, expected) << what << " in place";
}

TEST(Take, EveryDType) {
  for (const DType dtype : kernel_testing::kAllDTypes) {
    for (std::int64_t axis = 0; axis < 3; ++axis) {
      const Array x = kernel_testing::random_array(dtype, Shape{3, 5, 7});
      check_take(x, kernel_testing::random_integers(DType::i32, Shape{2, 6}, -3, 9), axis);
    }
  }
}

TEST(Take, EveryIndexDType) {
  const Array x = kernel_testing::random_array(DType::f32, Shape{4, 9, 3});
  for (const DType dtype : kernel_testing::integer_dtypes()) {
    check_take(x, kernel_testing::random_array(dtype, Shape{11}), 1);  // far out of range, too
    check_take(x, kernel_testing::random_integers(dtype, Shape{2, 11}, -2, 10), 1);
    check_take(x, kernel_testing::random_integers(dtype, Shape{}, 0, 8), 1);
  }
}

TEST(Take, Nothing) {
  check_take(kernel_testing::random_array(DType::f32, Shape{4, 3}), Array(DType::i64, Shape{0}), 0);
  check_take(kernel_testing::random_array(DType::f32, Shape{0, 3}), Array(DType::i64, Shape{0, 2}),
             0);
  check_take(kernel_testing::random_array(DType::f32, Shape{0, 3}), Array(DType::i64, Shape{2}), 1);
  check_take(kernel_testing::random_array(DType::f32, Shape{3, 0}), Array(DType::i64, Shape{2}), 0);
}

TEST(Take, ManyTiles) {
  const Array narrow = kernel_testing::random_array(DType::u8, Shape{50, 2, 3});
  check_take(narrow, kernel_testing::random_integers(DType::i16, Shape{70'000}, 0, 49), 0);
  const Array wide = kernel_testing::random_array(DType::f64, Shape{2, 3, 40'000});
  check_take(wide, kernel_testing::random_integers(DType::u8, Shape{4}, 0, 2), 1);
  const auto spec = around_axis<Take>(wide, Array(DType::u8, Shape{4}), 1);
  EXPECT_GT(tiles(spec), 4);
}

TEST(TakeAlongAxis, EveryDType) {
  for (const DType dtype : kernel_testing::kAllDTypes) {
    const Array x = kernel_testing::random_array(dtype, Shape{4, 5, 6});
    check_take_along_axis(x, kernel_testing::random_integers(DType::i64, Shape{2, 5, 6}, -2, 5), 0);
    check_take_along_axis(x, kernel_testing::random_integers(DType::i64, Shape{4, 9, 6}, -2, 6), 1);
    check_take_along_axis(x, kernel_testing::random_integers(DType::i64, Shape{4, 5, 1}, -2, 7), 2);
  }
}

TEST(TakeAlongAxis, EveryIndexDType) {
  const Array x = kernel_testing::random_array(DType::i16, Shape{6, 5});
  for (const DType dtype : kernel_testing::integer_dtypes()) {
    check_take_along_axis(x, kernel_testing::random_array(dtype, Shape{3, 5}), 0);
    check_take_along_axis(x, kernel_testing::random_integers(dtype, Shape{6, 9}, -1, 6), 1);
  }
}

TEST(TakeAlongAxis, NothingAndManyTiles) {
  check_take_along_axis(kernel_testing::random_array(DType::f32, Shape{4, 3}),
                        Array(DType::i64, Shape{0, 3}), 0);
  check_take_along_axis(kernel_testing::random_array(DType::f32, Shape{0, 3}),
                        Array(DType::i64, Shape{0, 3}), 0);
  const Array x = kernel_testing::random_array(DType::f32, Shape{9'000, 10});
  check_take_along_axis(x, kernel_testing::random_integers(DType::u8, Shape{9'000, 7}, 0, 9), 1);
  check_take_along_axis(x.reshaped(Shape{2, 45'000}),
                        kernel_testing::random_integers(DType::i64, Shape{3, 45'000}, 0, 1), 0);
}

TEST(ScatterAdd, EveryDType) {
  for (const DType dtype : kernel_testing::number_dtypes()) {
    const Array x = kernel_testing::random_array(dtype, Shape{3, 5, 7});
    for (std::int64_t axis = 0; axis < 3; ++axis) {
      check_scatter_add(x, kernel_testing::random_integers(DType::i32, Shape{4, 6}, -2, 8), axis);
    }
  }
}

TEST(ScatterAdd, EveryIndexDType) {
  const Array x = kernel_testing::random_array(DType::f32, Shape{9, 3});
  for (const DType dtype : kernel_testing::integer_dtypes()) {
    check_scatter_add(x, kernel_testing::random_array(dtype, Shape{20}), 0);
    check_scatter_add(x, kernel_testing::random_integers(dtype, Shape{20}, -1, 9), 0);
  }
}

TEST(ScatterAdd, Nothing) {
  check_scatter_add(kernel_testing::random_array(DType::f32, Shape{4, 3}),
                    Array(DType::i64, Shape{0}), 0);
  check_scatter_add(kernel_testing::random_array(DType::f32, Shape{0, 3}),
                    Array(DType::i64, Shape{5}), 0);
  check_scatter_add(kernel_testing::random_array(DType::f32, Shape{3, 0}),
                    Array(DType::i64, Shape{5}), 0);
}

TEST(ScatterAdd, ManyTiles) {
  // Tiles of columns, of rows and columns, of rows, of outer positions; many updates per row.
  for (const DType dtype : {DType::f32, DType::bf16, DType::i8}) {
    check_scatter_add(kernel_testing::random_array(dtype, Shape{20, 500}),
                      kernel_testing::random_integers(DType::i64, Shape{300}, -1, 20), 0);
    check_scatter_add(kernel_testing::random_array(dtype, Shape{3'000, 70}),
                      kernel_testing::random_integers(DType::i64, Shape{50}, 0, 2'999), 0);
    check_scatter_add(kernel_testing::random_array(dtype, Shape{100'000}),
                      kernel_testing::random_integers(DType::i64, Shape{50}, 0, 99'999), 0);
    check_scatter_add(kernel_testing::random_array(dtype, Shape{4'000, 3, 5}),
                      kernel_testing::random_integers(DType::i64, Shape{6}, 0, 2), 1);
  }
  EXPECT_GE(tiles(ScatterAdd{DType::f32, DType::i64, 1, 50'000, 512, 8192}), 8);
  // Sums into few places would only read the indices several times.
  EXPECT_EQ(tiles(ScatterAdd{DType::f32, DType::i64, 1, 10, 1, 1'000'000}), 1);
}

TEST(Index, RefusesIndicesThatAreNoIntegers) {
  Take spec;
  spec.index_dtype = DType::f32;
  spec.size = spec.count = 1;
  const float x = 0;
  float result = 0;
  EXPECT_THROW(run(spec, &x, &x, &result, 0, 1), InternalError);
}

}  // namespace
}  // namespace tutti::kernels::index_test
