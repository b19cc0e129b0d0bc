#include <tutti/ir/cumulative.h>
#include <tutti/ir/support/error.h>
#include <tutti/kernels/host/cumulative.h>

#include <array>
#include <cmath>

#include "tests/kernels/kernel_testing.h"

namespace tutti::kernels::cumulative_test {
namespace {

using kernel_testing::Array;

// x has the shape [outer, size, inner].
void check(ir::Op op, const Array& x) {
  for (const bool reverse : {false, true}) {
    const Cumulative spec = {
        x.dtype(), *ir::running_combination(op), reverse, x.shape()[0], x.shape()[1], x.shape()[2]};
    kernel_testing::expect_result(
        spec, kernel_testing::meaning(op, {x}, {std::int64_t{1}, reverse}),
        [&](void* result, std::int64_t begin, std::int64_t end) {
          run(spec, x.bytes().data(), result, begin, end);
        },
        std::string(name_of(op)) + " of " + std::string(name_of(x.dtype())) + x.shape().text());
  }
}

const std::vector<Shape> kShapes = {{1, 1, 1},   {7, 3, 1},   {2, 3000, 1},  {2, 5, 9},
                                    {3, 17, 64}, {2, 9, 150}, {1, 700, 130}, {0, 4, 3},
                                    {3, 4, 0},   {3, 0, 2}};

class CumulativeOf : public testing::TestWithParam<DType> {};

// Of numbers that add up without rounding, but for the last rounding of a 16-bit result.
TEST_P(CumulativeOf, SumsOfAnyShape) {
  for (const Shape& shape : kShapes) {
    Array x = kernel_testing::random_array(GetParam(), shape);
    if (is_floating(GetParam())) {
      const Array few = kernel_testing::random_integers(DType::i8, shape, -3, 9);
      visit_dtype(GetParam(), [&]<class T>(std::type_identity<T>) {
        for (std::int64_t i = 0; i < x.elements(); ++i) {
          x.data<T>()[static_cast<std::size_t>(i)] = T(static_cast<float>(few.at(i)) / 4);
        }
      });
    }
    check(ir::Op::cumsum, x);
  }
}

// Powers of two, of which no product is rounded.
TEST_P(CumulativeOf, ProductsOfAnyShape) {
  for (const Shape& shape : kShapes) {
    Array x = kernel_testing::random_array(GetParam(), shape);
    if (is_floating(GetParam())) {
      visit_dtype(GetParam(), [&]<class T>(std::type_identity<T>) {
        for (std::int64_t i = 0; i < x.elements(); ++i) {
          const float factor = i % 3 == 0 ? -0.5F : i % 3 == 1 ? 2.0F : 1.0F;
          x.data<T>()[static_cast<std::size_t>(i)] = T(factor);
        }
      });
    }
    check(ir::Op::cumprod, x);
  }
}

// NaN, infinities and zeros of both signs among them.
TEST_P(CumulativeOf, ExtremesOfAnyShape) {
  for (const Shape& shape : kShapes) {
    Array x = kernel_testing::random_array(GetParam(), shape);
    if (is_floating(GetParam())) {
      // One NaN alone: which of two is passed on is the compiler's affair.
      const auto most = static_cast<float>(reach_of(GetParam()));
      const std::array special = {NAN, most, -most, 0.0F, -0.0F, -0.0F, 0.0F};
      visit_dtype(GetParam(), [&]<class T>(std::type_identity<T>) {
        for (std::int64_t i = 0; i < x.elements(); ++i) {
          if (i * 7 % 11 > 4) continue;
          x.data<T>()[static_cast<std::size_t>(i)] = T(special[static_cast<std::size_t>(i) % 7]);
        }
      });
    }
    check(ir::Op::cummax, x);
    check(ir::Op::cummin, x);
  }
}

INSTANTIATE_TEST_SUITE_P(DTypes, CumulativeOf, testing::ValuesIn(kernel_testing::number_dtypes()),
                         [](const auto& test) { return std::string(name_of(test.param)); });

TEST(Cumulative, OfBoolIsRefused) {
  const Cumulative spec = {.dtype = DType::boolean};
  EXPECT_THROW(run(spec, nullptr, nullptr, 0, 1), InternalError);
}

TEST(Cumulative, ByAnotherOpIsRefused) {
  const Cumulative spec = {.combine = ir::ScalarOp::sub};
  EXPECT_THROW(run(spec, nullptr, nullptr, 0, 1), InternalError);
}

}  // namespace
}  // namespace tutti::kernels::cumulative_test
