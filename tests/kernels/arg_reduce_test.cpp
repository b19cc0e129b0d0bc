#include <tutti/ir/support/error.h>
#include <tutti/kernels/host/arg_reduce.h>

#include <cmath>

#include "tests/kernels/kernel_testing.h"

namespace tutti::kernels::arg_reduce_test {
namespace {

using kernel_testing::Array;

// x has the shape [outer, size, inner].
void check(const Array& x) {
  for (const bool largest : {true, false}) {
    const ArgReduce spec = {x.dtype(), largest, x.shape()[0], x.shape()[1], x.shape()[2]};
    const Array expected = kernel_testing::meaning(largest ? ir::Op::argmax : ir::Op::argmin, {x},
                                                   {std::int64_t{1}, false});
    kernel_testing::expect_result(
        spec, expected,
        [&](void* result, std::int64_t begin, std::int64_t end) {
          run(spec, x.bytes().data(), static_cast<std::int64_t*>(result), begin, end);
        },
        std::string(largest ? "argmax" : "argmin") + " of " + std::string(name_of(x.dtype())) +
            x.shape().text());
  }
}

const std::vector<Shape> kShapes = {
    Shape{1, 1, 1},   Shape{7, 3, 1},   Shape{3, 63, 1},  Shape{2, 64, 1}, Shape{2, 200, 1},
    Shape{2, 5, 9},   Shape{3, 17, 64}, Shape{2, 9, 150}, Shape{0, 4, 3},  Shape{3, 4, 0},
    Shape{150, 3, 1}, Shape{200, 8, 1}, Shape{70, 32, 1}};

class ArgReduceOf : public testing::TestWithParam<DType> {};

TEST_P(ArgReduceOf, AnyShape) {
  for (const Shape& shape : kShapes) check(kernel_testing::random_array(GetParam(), shape));
}

TEST_P(ArgReduceOf, TheFirstOfEqualOnesWins) {
  for (const Shape& shape : kShapes) {
    Array x(GetParam(), shape);
    check(x);  // all equal
    const Array few = kernel_testing::random_integers(DType::u8, shape, 0, 2);
    visit_dtype(GetParam(), [&]<class T>(std::type_identity<T>) {
      for (std::int64_t i = 0; i < x.elements(); ++i) {
        x.data<T>()[static_cast<std::size_t>(i)] = T(static_cast<float>(few.at(i)));
      }
    });
    check(x);
  }
}

INSTANTIATE_TEST_SUITE_P(DTypes, ArgReduceOf, testing::ValuesIn(kernel_testing::number_dtypes()),
                         [](const auto& test) { return std::string(name_of(test.param)); });

TEST(ArgReduce, NaNsInfinitiesAndZeros) {
  const float values[] = {NAN, -NAN, INFINITY, -INFINITY, 0.0F, -0.0F, 1.0F, -1.0F};
  for (const DType dtype : kernel_testing::floating_dtypes()) {
    for (const Shape& shape : kShapes) {
      for (const std::int64_t least : {0, 2, 4}) {
        const Array choice = kernel_testing::random_integers(DType::u8, shape, least, 7);
        Array x(dtype, shape);
        visit_dtype(dtype, [&]<class T>(std::type_identity<T>) {
          for (std::int64_t i = 0; i < x.elements(); ++i) {
            x.data<T>()[static_cast<std::size_t>(i)] =
                T(values[static_cast<std::size_t>(choice.at(i))]);
          }
        });
        check(x);
      }
    }
    // One NaN among numbers, wherever it is.
    for (std::size_t at = 0; at < 130; ++at) {
      Array x = kernel_testing::random_array(dtype, Shape{1, 130, 1});
      visit_dtype(dtype, [&]<class T>(std::type_identity<T>) { x.data<T>()[at] = T(NAN); });
      check(x);
    }
  }
}

TEST(ArgReduce, ManyTiles) {
  check(kernel_testing::random_array(DType::f32, Shape{3'000, 40, 1}));
  check(kernel_testing::random_array(DType::i8, Shape{2, 30, 3'000}));
  EXPECT_GE(tiles(ArgReduce{DType::f32, true, 1, 1000, 1000}), 16);
  EXPECT_EQ(tiles(ArgReduce{DType::f32, true, 10, 10, 1}), 1);
}

TEST(ArgReduce, RefusesEmptyAxesAndBool) {
  EXPECT_THROW(tiles(ArgReduce{DType::f32, true, 1, 0, 1}), InternalError);
  const bool x = true;
  std::int64_t result = 0;
  EXPECT_THROW(run(ArgReduce{DType::boolean, true, 1, 1, 1}, &x, &result, 0, 1), InternalError);
}

}  // namespace
}  // namespace tutti::kernels::arg_reduce_test
