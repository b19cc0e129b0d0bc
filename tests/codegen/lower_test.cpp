#include "tests/codegen/lowered_kernels.h"
#include "tests/support/golden.h"
#include <gmock/gmock.h>

namespace tutti::codegen::lower_test {
namespace {

// The kernels of a function's group, as text.
std::string kernels_of(const std::string& function) {
  std::string out;
  for (const Kernel& kernel : kernel_testing::lowered(function)) out += print(kernel) + "\n";
  return out;
}

TEST(Lower, AChainBecomesOneFlatMap) {
  EXPECT_TRUE(test::matches_golden(kernels_of(R"(
func @chain(%x: f32[64,100], %y: f32[64,100]) -> (f32[64,100]) {
  %0 = mul(%x, %y) : f32[64,100]
  %1 = tanh(%0) : f32[64,100]
  return %1
})"),
                                   "codegen/golden/chain.kernel"));
}

TEST(Lower, ABiasIsReadByBroadcasting) {
  EXPECT_TRUE(test::matches_golden(kernels_of(R"(
func @bias(%x: f32[64,100], %b: f32[100]) -> (f32[64,100]) {
  %0 = add(%x, %b) : f32[64,100]
  return %0
})"),
                                   "codegen/golden/bias.kernel"));
}

TEST(Lower, ASoftmaxBecomesOneRowKernelWithThreeLoops) {
  EXPECT_TRUE(test::matches_golden(kernels_of(R"(
func @softmax(%x: f32[64,100]) -> (f32[64,100]) {
  %0 = softmax(%x) {axis = 1} : f32[64,100]
  return %0
})"),
                                   "codegen/golden/softmax.kernel"));
}

TEST(Lower, ALongColumnSumIsDividedIntoParts) {
  EXPECT_TRUE(test::matches_golden(kernels_of(R"(
func @columns(%x: f32[2048,128]) -> (f32[128]) {
  %0 = sum(%x) {axes = [0]} : f32[128]
  return %0
})"),
                                   "codegen/golden/column_sum.kernel"));
}

// Vectors along three elements would be full of nothing.
TEST(Lower, VectorsGoAlongALongAxisOfAMapThatHasAShortOne) {
  const auto sum_with_transposed = [](const std::string& rows, const std::string& columns) {
    return kernels_of("func @f(%x: f32[" + rows + "," + columns + "], %y: f32[" + columns + "," +
                      rows + "]) -> (f32[" + rows + "," + columns +
                      "]) {\n  %0 = transpose(%y) {permutation = [1, 0]} : f32[" + rows + "," +
                      columns + "]\n  %1 = add(%x, %0) : f32[" + rows + "," + columns +
                      "]\n  return %1\n}");
  };
  EXPECT_THAT(sum_with_transposed("4096", "3"), testing::HasSubstr("outer [3, 4096]"));
  EXPECT_THAT(sum_with_transposed("4096", "64"), testing::HasSubstr("outer [4096, 64]"));
  EXPECT_THAT(sum_with_transposed("2", "3"), testing::HasSubstr("outer [2, 3]"));
}

// One vector is loaded, not gathered.
TEST(Lower, SumsGoAlongThePiecesOfMemoryThatTheyReduce) {
  const auto sum_of = [](const std::string& shape, const std::string& axes) {
    return kernels_of("func @f(%x: f32[" + shape + "]) -> (f32[4]) {\n  %0 = sum(%x) {axes = [" +
                      axes + "]} : f32[4]\n  return %0\n}");
  };
  EXPECT_THAT(sum_of("8,4,8,16", "0, 2, 3"), testing::HasSubstr(" along inner"));
  EXPECT_THAT(sum_of("4,2", "1"), testing::HasSubstr(" along inner"));
  EXPECT_THAT(sum_of("8,4,2", "0, 2"), testing::HasSubstr(" along outer"));  // short pieces
  EXPECT_THAT(sum_of("8,16,4", "0, 1"), testing::HasSubstr(" along outer"));
}

// A row of three would leave most of a vector empty.
TEST(Lower, ShortRowsAreWorkedOnSideBySideWhereThereAreMany) {
  const auto distances = [](const std::string& rows, const std::string& spread) {
    return kernels_of("func @f(%x: f32[" + rows + ",3], %y: f32[3]) -> (f32[" + rows +
                      (spread.empty() ? ",1" : ",3") + "]) {\n  %0 = sub(%x, %y) : f32[" + rows +
                      ",3]\n  %1 = mul(%0, %0) : f32[" + rows +
                      ",3]\n  %2 = sum(%1) {axes = [1]} : f32[" + rows +
                      "]\n  %3 = sqrt(%2) : f32[" + rows + "]\n  %4 = reshape(%3) {shape = [" +
                      rows + ", 1]} : f32[" + rows + ",1]\n" + spread +
                      (spread.empty() ? "  return %4\n}" : "  return %5\n}"));
  };
  EXPECT_THAT(distances("64", ""), testing::HasSubstr(" along outer"));
  EXPECT_THAT(distances("8", ""), testing::HasSubstr(" along inner"));
  EXPECT_THAT(distances("64", "  %5 = div(%0, %4) : f32[64,3]\n"),
              testing::HasSubstr(" along outer"));
}

// Neighbouring rows' elements lie side by side.
TEST(Lower, ShortRowsOfATransposedViewAreWorkedOnSideBySide) {
  EXPECT_THAT(kernels_of(R"(
func @f(%x: f32[3,64]) -> (f32[64]) {
  %0 = transpose(%x) {permutation = [1, 0]} : f32[64,3]
  %1 = mul(%0, %0) : f32[64,3]
  %2 = sum(%1) {axes = [1]} : f32[64]
  return %2
})"),
              testing::HasSubstr(" along outer"));
}

TEST(Lower, WholeVectorsThatAreOnlyAddedUpAreNotTurned) {
  const auto reduced = [](const std::string& op, const std::string& length) {
    return kernels_of("func @f(%x: f32[4,16," + length + "]) -> (f32[4,16]) {\n  %0 = " + op +
                      "(%x) {axes = [2]} : f32[4,16]\n  return %0\n}");
  };
  EXPECT_THAT(reduced("sum", "15"), testing::HasSubstr(" along outer"));
  EXPECT_THAT(reduced("sum", "16"), testing::HasSubstr(" along inner"));
  EXPECT_THAT(reduced("max", "32"), testing::HasSubstr(" along outer"));
  EXPECT_THAT(reduced("max", "33"), testing::HasSubstr(" along inner"));
}

TEST(Lower, HalvesAreComputedInSingleAndRoundedAtEveryNode) {
  EXPECT_TRUE(test::matches_golden(kernels_of(R"(
func @half(%x: bf16[256], %y: bf16[256]) -> (bf16[256]) {
  %0 = mul(%x, %y) : bf16[256]
  %1 = add(%0, %y) : bf16[256]
  return %1
})"),
                                   "codegen/golden/half.kernel"));
}

TEST(Lower, AReversedTransposeIsReadInPlace) {
  EXPECT_TRUE(test::matches_golden(kernels_of(R"(
func @turned(%x: f32[30,20], %y: f32[20,30]) -> (f32[20,30]) {
  %0 = transpose(%x) {permutation = [1, 0]} : f32[20,30]
  %1 = reverse(%0) {axes = [1]} : f32[20,30]
  %2 = add(%1, %y) : f32[20,30]
  return %2
})"),
                                   "codegen/golden/turned.kernel"));
}

}  // namespace
}  // namespace tutti::codegen::lower_test
