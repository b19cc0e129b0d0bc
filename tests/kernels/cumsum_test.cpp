#include <tutti/ir/support/error.h>
#include <tutti/kernels/host/cumsum.h>

#include "tests/kernels/kernel_testing.h"

namespace tutti::kernels::cumsum_test {
namespace {

using kernel_testing::Array;

// x has the shape [outer, size, inner].
void check(const Array& x) {
  for (const bool reverse : {false, true}) {
    const CumSum spec = {x.dtype(), reverse, x.shape()[0], x.shape()[1], x.shape()[2]};
    kernel_testing::expect_result(
        spec, kernel_testing::meaning(ir::Op::cumsum, {x}, {std::int64_t{1}, reverse}),
        [&](void* result, std::int64_t begin, std::int64_t end) {
          run(spec, x.bytes().data(), result, begin, end);
        },
        "cumsum of " + std::string(name_of(x.dtype())) + x.shape().text());
  }
}

class CumSumOf : public testing::TestWithParam<DType> {};

// Of numbers that add up without rounding, but for the last rounding of a 16-bit result.
TEST_P(CumSumOf, AnyShape) {
  for (const Shape& shape :
       {Shape{1, 1, 1}, Shape{7, 3, 1}, Shape{2, 3000, 1}, Shape{2, 5, 9}, Shape{3, 17, 64},
        Shape{2, 9, 150}, Shape{1, 700, 130}, Shape{0, 4, 3}, Shape{3, 4, 0}, Shape{3, 0, 2}}) {
    Array x = kernel_testing::random_array(GetParam(), shape);
    if (is_floating(GetParam())) {
      const Array few = kernel_testing::random_integers(DType::i8, shape, -3, 9);
      visit_dtype(GetParam(), [&]<class T>(std::type_identity<T>) {
        for (std::int64_t i = 0; i < x.elements(); ++i) {
          x.data<T>()[static_cast<std::size_t>(i)] = T(static_cast<float>(few.at(i)) / 4);
        }
      });
    }
    check(x);
  }
}

INSTANTIATE_TEST_SUITE_P(DTypes, CumSumOf, testing::ValuesIn(kernel_testing::number_dtypes()),
                         [](const auto& test) { return std::string(name_of(test.param)); });

TEST(CumSum, OfBoolIsRefused) {
  const CumSum spec = {.dtype = DType::boolean};
  EXPECT_THROW(run(spec, nullptr, nullptr, 0, 1), InternalError);
}

}  // namespace
}  // namespace tutti::kernels::cumsum_test
