#include <tutti/ir/cumulative.h>
#include <tutti/ir/support/error.h>
#include <tutti/kernels/host/cumulative.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tests/kernels/kernel_testing.h"

namespace tutti::kernels::cumulative_test {
namespace {

using kernel_testing::Array;

// x has the shape [outer, size, inner].
Cumulative spec_of(ir::Op op, const Array& x, bool reverse) {
  return {x.dtype(),   *ir::running_combination(op), reverse, x.shape()[0], x.shape()[1],
          x.shape()[2]};
}

// What its parts leave to it.
std::vector<std::byte> parts_of(const Cumulative& spec, const Array& x) {
  const CumulativeParts parts = {spec};
  return kernel_testing::run_every_way(parts, cumulative_parts_bytes(spec),
                                       [&](void* to, std::int64_t begin, std::int64_t end) {
                                         run(parts, x.bytes().data(), to, begin, end);
                                       });
}

void check(ir::Op op, const Array& x) {
  for (const bool reverse : {false, true}) {
    const Cumulative spec = spec_of(op, x, reverse);
    const std::vector<std::byte> parts = parts_of(spec, x);
    kernel_testing::expect_result(
        spec, kernel_testing::meaning(op, {x}, {std::int64_t{1}, reverse}),
        [&](void* result, std::int64_t begin, std::int64_t end) {
          run(spec, x.bytes().data(), parts.data(), result, begin, end);
        },
        std::string(name_of(op)) + " of " + std::string(name_of(x.dtype())) + x.shape().text());
  }
}

const std::vector<Shape> kShapes = {{1, 1, 1},   {7, 3, 1},   {2, 3000, 1},  {2, 5, 9},
                                    {3, 17, 64}, {2, 9, 150}, {1, 700, 130}, {0, 4, 3},
                                    {3, 4, 0},   {3, 0, 2}};

// Divided between threads, with a shorter last part: one by one, a few side by side, and so many
// that they make vectors, with some left over.
const std::vector<Shape> kLongShapes = {{1, 65536, 1}, {1, 70001, 1}, {3, 70001, 1},
                                        {1, 30000, 3}, {1, 2000, 40}, {2, 1500, 130}};

class CumulativeOf : public testing::TestWithParam<DType> {};

// Numbers that add up without rounding, but for the last rounding of a 16-bit result.
Array summands(DType dtype, const Shape& shape) {
  Array x = kernel_testing::random_array(dtype, shape);
  if (is_floating(dtype)) {
    const Array few = kernel_testing::random_integers(DType::i8, shape, -3, 9);
    visit_dtype(dtype, [&]<class T>(std::type_identity<T>) {
      for (std::int64_t i = 0; i < x.elements(); ++i) {
        x.data<T>()[static_cast<std::size_t>(i)] = T(static_cast<float>(few.at(i)) / 4);
      }
    });
  }
  return x;
}

TEST_P(CumulativeOf, SumsOfAnyShape) {
  for (const Shape& shape : kShapes) check(ir::Op::cumsum, summands(GetParam(), shape));
}

TEST_P(CumulativeOf, SumsOfFewLongSequences) {
  for (const Shape& shape : kLongShapes) {
    const Array x = summands(GetParam(), shape);
    ASSERT_GT(cumulative_parts_bytes(spec_of(ir::Op::cumsum, x, false)), 0) << shape.text();
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

// Products of what lies behind a zero are infinite in floats, and the results are zeros all the
// same: these are not divided.
TEST_P(CumulativeOf, ProductsOfFewLongSequences) {
  for (const Shape& shape : kLongShapes) {
    Array x = kernel_testing::random_array(GetParam(), shape);
    if (is_floating(GetParam())) {
      visit_dtype(GetParam(), [&]<class T>(std::type_identity<T>) {
        // Zeros first and last along the axis.
        const std::int64_t row = shape[1] * shape[2];
        for (std::int64_t i = 0; i < x.elements(); ++i) {
          const bool is_end = i % row < shape[2] || i % row >= row - shape[2];
          x.data<T>()[static_cast<std::size_t>(i)] = T(is_end ? 0.0F : 2.0F);
        }
      });
    }
    check(ir::Op::cumprod, x);
  }
}

TEST_P(CumulativeOf, ExtremesOfFewLongSequences) {
  for (const Shape& shape : kLongShapes) {
    Array x = kernel_testing::random_array(GetParam(), shape);
    if (is_floating(GetParam())) {
      visit_dtype(GetParam(), [&]<class T>(std::type_identity<T>) {
        const auto elements = x.data<T>();
        const std::size_t third = elements.size() / 3;
        for (std::size_t i = 0; i < third; ++i) elements[i] = T(i % 7 < 5 ? -0.0F : 0.0F);
        for (std::size_t i = 0; i < third; ++i) elements[elements.size() - 1 - i] = elements[i];
        elements[elements.size() / 2] = T(NAN);
      });
    }
    check(ir::Op::cummax, x);
    check(ir::Op::cummin, x);
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

// Two a tile, and the last one alone.
TEST(Cumulative, ManyLongSequencesGoInPairs) {
  for (const DType dtype : {DType::f32, DType::bf16, DType::i64}) {
    const Array x = summands(dtype, {65, 17000, 1});
    const Cumulative spec = spec_of(ir::Op::cumsum, x, false);
    ASSERT_EQ(tiles(spec), 33);
    ASSERT_EQ(cumulative_parts_bytes(spec), 0);
    check(ir::Op::cumsum, x);
    check(ir::Op::cummax, x);
  }
}

// Of any numbers: the interpreter adds them in f64, too, but in one go.
TEST(Cumulative, LongSumsOfFloatsAreWithinARounding) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    for (const Shape& shape : kLongShapes) {
      const Array x = kernel_testing::random_array(dtype, shape);
      const Array expected = kernel_testing::meaning(ir::Op::cumsum, {x}, {std::int64_t{1}, false});
      const Cumulative spec = spec_of(ir::Op::cumsum, x, false);
      const std::vector<std::byte> parts = parts_of(spec, x);
      Array result(dtype, shape);
      run(spec, x.bytes().data(), parts.data(), result.bytes().data(), 0, tiles(spec));
      // The sums are below 2,048: about one step of f32 there, and many of f64.
      const double bound = dtype == DType::f32 ? 2e-4 : 1e-9;
      for (std::int64_t i = 0; i < result.elements(); ++i) {
        ASSERT_NEAR(result.at(i), expected.at(i), bound) << shape.text() << " at " << i;
      }
    }
  }
}

TEST(Cumulative, SumsOfMillionsKeepWhatIsSmall) {
  constexpr std::int64_t kCount = std::int64_t{1} << 21;
  for (const Shape& shape : {Shape{1, kCount, 1}, Shape{1, kCount, 2}}) {
    Array x(DType::f32, shape);
    std::ranges::fill(x.data<float>(), 0.1F);
    const Cumulative spec = spec_of(ir::Op::cumsum, x, false);
    const std::vector<std::byte> parts = parts_of(spec, x);
    Array result(DType::f32, shape);
    run(spec, x.bytes().data(), parts.data(), result.bytes().data(), 0, tiles(spec));
    EXPECT_EQ(result.data<float>().back(), 0.1F * static_cast<float>(kCount));
  }
}

// How sequences are divided is a function of their shape, and of what combines them.
TEST(Cumulative, FewLongSequencesAreDivided) {
  const auto bytes = [](DType dtype, ir::ScalarOp combine, std::int64_t outer, std::int64_t size,
                        std::int64_t inner) {
    return cumulative_parts_bytes({dtype, combine, false, outer, size, inner});
  };
  using ir::ScalarOp;
  EXPECT_EQ(bytes(DType::f32, ScalarOp::add, 1, 65535, 1), 0);
  // Eight parts of 8,192 would share sets of the cache; f64 of all but the last are kept.
  EXPECT_EQ(bytes(DType::f32, ScalarOp::add, 1, 65536, 1), 7 * 8);
  EXPECT_EQ(bytes(DType::f32, ScalarOp::maximum, 1, 65536, 1), 7 * 4);
  EXPECT_EQ(bytes(DType::i8, ScalarOp::mul, 1, 65536, 1), 7 * 4);
  EXPECT_EQ(bytes(DType::f32, ScalarOp::mul, 1, 1 << 20, 1), 0);
  EXPECT_EQ(bytes(DType::f32, ScalarOp::add, 16, 1 << 20, 1), 0) << "threads have rows enough";
  EXPECT_EQ(bytes(DType::f32, ScalarOp::add, 1, 0, 1), 0);
}

TEST(Cumulative, OfBoolIsRefused) {
  const Cumulative spec = {.dtype = DType::boolean};
  EXPECT_THROW(run(spec, nullptr, nullptr, nullptr, 0, 1), InternalError);
}

TEST(Cumulative, ByAnotherOpIsRefused) {
  const Cumulative spec = {.combine = ir::ScalarOp::sub};
  EXPECT_THROW(run(spec, nullptr, nullptr, nullptr, 0, 1), InternalError);
}

}  // namespace
}  // namespace tutti::kernels::cumulative_test
