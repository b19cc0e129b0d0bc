#include <cmath>

#include "tests/support/run_graph.h"

namespace tutti::test::tolerance_test {
namespace {

Array doubles(const std::vector<double>& x) {
  return Array::from(std::span<const double>(x), {std::ssize(x)});
}

TEST(Tolerance, OfF64IsThatOfTheLargestElement) {
  EXPECT_TRUE(close(doubles({1 + 5e-11, 1e-3}), doubles({1, 1e-3 + 5e-11})));
  EXPECT_FALSE(close(doubles({1 + 1e-9}), doubles({1})));
  EXPECT_FALSE(close(doubles({1, 1e-9}), doubles({1, 0})));
  EXPECT_TRUE(close(doubles({100, 1e-9}), doubles({100, 0})));
  EXPECT_FALSE(close(doubles({1e9, 2e-7}), doubles({1e9, 0})));
  EXPECT_TRUE(close(doubles({INFINITY, NAN}), doubles({INFINITY, NAN})));
  EXPECT_FALSE(close(doubles({INFINITY, 1e-9}), doubles({INFINITY, 0})));
}

}  // namespace
}  // namespace tutti::test::tolerance_test
