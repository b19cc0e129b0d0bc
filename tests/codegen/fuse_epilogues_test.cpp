#include <tutti/codegen/driver/make_plan.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/passes/passes.h>

#include <string>
#include <vector>

#include "tests/support/run_graph.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::codegen::fuse_epilogues_test {
namespace {

std::string plan_of(const std::string& text) {
  ir::Graph graph = ir::parse("// tutti ir 1\n" + text).functions.at(0);
  ir::run_passes(graph);
  return print(make_plan(graph, 0));
}

TEST(FuseEpilogues, BiasAndActivationFollowTheirTile) {
  EXPECT_THAT(plan_of(R"(
func @layer(%x: f32[512,64], %w: f32[64,512], %b: f32[512]) -> (f32[512,512]) {
  %0 = matmul(%x, %w) : f32[512,512]
  %1 = add(%0, %b) : f32[512,512]
  %2 = tanh(%1) : f32[512,512]
  return %2
})"),
              testing::HasSubstr("then add_tanh"));
}

TEST(FuseEpilogues, RowsThatATileHoldsWholeAreReducedThere) {
  EXPECT_THAT(plan_of(R"(
func @scores(%q: f32[8,64,32], %k: f32[8,32,128]) -> (f32[8,64,128]) {
  %0 = matmul(%q, %k) : f32[8,64,128]
  %1 = softmax(%0) {axis = 2} : f32[8,64,128]
  return %1
})"),
              testing::HasSubstr("\" then max_"));
}

TEST(FuseEpilogues, BiasActivationAndResidualFollowTheTilesOfAConvolution) {
  EXPECT_THAT(plan_of(R"(
func @block(%x: f32[4,32,28,28], %w: f32[64,32,3,3], %b: f32[64,1,1], %r: f32[4,64,28,28]) -> (f32[4,64,28,28]) {
  %0 = conv(%x, %w) {stride = [1, 1], low = [1, 1], high = [1, 1], dilation = [1, 1], groups = 1} : f32[4,64,28,28]
  %1 = add(%0, %b) : f32[4,64,28,28]
  %2 = relu(%1) : f32[4,64,28,28]
  %3 = add(%2, %r) : f32[4,64,28,28]
  return %3
})"),
              testing::HasSubstr("then add_relu_add"));
}

TEST(FuseEpilogues, WhatHasChannelsLastFollowsAConvolutionThatHasThem) {
  EXPECT_THAT(plan_of(R"(
func @block(%x: f32[4,28,28,32], %w: f32[64,32,3,3], %b: f32[64]) -> (f32[4,28,28,64]) {
  %0 = transpose(%x) {permutation = [0, 3, 1, 2]} : f32[4,32,28,28]
  %1 = conv(%0, %w) {stride = [1, 1], low = [1, 1], high = [1, 1], dilation = [1, 1], groups = 1} : f32[4,64,28,28]
  %2 = transpose(%1) {permutation = [0, 2, 3, 1]} : f32[4,28,28,64]
  %3 = add(%2, %b) : f32[4,28,28,64]
  %4 = relu(%3) : f32[4,28,28,64]
  return %4
})"),
              testing::HasSubstr("then add_relu"));
}

// Tiles of 3 lines of 30 end in the middle of a vector of the kernel's.
TEST(FuseEpilogues, AConvolutionsTilesThatAreNoWholeVectorsAreNotFollowed) {
  EXPECT_THAT(plan_of(R"(
func @block(%x: f32[1,512,90,31], %w: f32[64,512,3,3]) -> (f32[1,64,90,31]) {
  %0 = conv(%x, %w) {stride = [1, 1], low = [1, 1], high = [1, 1], dilation = [1, 1], groups = 1} : f32[1,64,90,31]
  %1 = relu(%0) : f32[1,64,90,31]
  return %1
})"),
              testing::Not(testing::HasSubstr(" then ")));
}

// Sums of small integers are exact in any order.
ir::Array digits(const Shape& shape) {
  std::vector<float> values(static_cast<std::size_t>(shape.elements()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(static_cast<int>(i * 7 % 23) - 11);
  }
  return ir::Array::from(std::span<const float>(values), shape);
}

struct Convolved {
  std::string x, weight, result, window;
  Shape x_shape, weight_shape, result_shape;
};

TEST(FuseEpilogues, WhatFollowsAConvolutionsTilesHasItsResults) {
  const std::string one = "{stride = [1], low = [1], high = [1], dilation = [1], groups = 1}";
  const std::string two =
      "{stride = [1, 1], low = [1, 1], high = [1, 1], dilation = [1, 1], groups = ";
  const std::string apart =
      "{stride = [2, 1], low = [1, 0], high = [1, 0], dilation = [1, 2], groups = 2}";
  const std::string three =
      "{stride = [1, 1, 1], low = [0, 1, 1], high = [0, 1, 1], dilation = [1, 1, 1], groups = 1}";
  const std::string none =
      "{stride = [1, 1], low = [0, 0], high = [0, 0], dilation = [1, 1], groups = 1}";
  const std::vector<Convolved> all = {
      {.x = "3,40,28,28",
       .weight = "70,40,3,3",
       .result = "3,70,28,28",
       .window = two + "1}",
       .x_shape = {3, 40, 28, 28},
       .weight_shape = {70, 40, 3, 3},
       .result_shape = {3, 70, 28, 28}},
      {.x = "2,64,32,32",
       .weight = "64,1,3,3",
       .result = "2,64,32,32",
       .window = two + "64}",
       .x_shape = {2, 64, 32, 32},
       .weight_shape = {64, 1, 3, 3},
       .result_shape = {2, 64, 32, 32}},
      {.x = "5,8,21,20",
       .weight = "12,4,3,3",
       .result = "5,12,11,16",
       .window = apart,
       .x_shape = {5, 8, 21, 20},
       .weight_shape = {12, 4, 3, 3},
       .result_shape = {5, 12, 11, 16}},
      {.x = "2,6,5,18,18",
       .weight = "8,6,3,3,3",
       .result = "2,8,3,18,18",
       .window = three,
       .x_shape = {2, 6, 5, 18, 18},
       .weight_shape = {8, 6, 3, 3, 3},
       .result_shape = {2, 8, 3, 18, 18}},
      {.x = "1,9,4096",
       .weight = "33,9,3",
       .result = "1,33,4096",
       .window = one,
       .x_shape = {1, 9, 4096},
       .weight_shape = {33, 9, 3},
       .result_shape = {1, 33, 4096}},
      // The gradient of a weight.
      {.x = "20,3,24,24",
       .weight = "10,3,15,15",
       .result = "20,10,10,10",
       .window = none,
       .x_shape = {20, 3, 24, 24},
       .weight_shape = {10, 3, 15, 15},
       .result_shape = {20, 10, 10, 10}},
  };
  for (const Convolved& each : all) {
    const int spatial = each.x_shape.rank() - 2;
    const std::int64_t outputs = each.result_shape[1];
    std::string bias = std::to_string(outputs);
    Shape bias_shape = spatial == 1   ? Shape{outputs, 1}
                       : spatial == 2 ? Shape{outputs, 1, 1}
                                      : Shape{outputs, 1, 1, 1};
    for (int d = 0; d < spatial; ++d) bias += ",1";
    const std::string result = "f32[" + each.result + "]";
    const std::string text = "\nfunc @block(%x: f32[" + each.x + "], %w: f32[" + each.weight +
                             "], %b: f32[" + bias + "], %r: " + result + ") -> (" + result +
                             ") {\n  %0 = conv(%x, %w) " + each.window + " : " + result +
                             "\n  %1 = add(%0, %b) : " + result + "\n  %2 = relu(%1) : " + result +
                             "\n  %3 = add(%2, %r) : " + result + "\n  return %3\n}";
    EXPECT_THAT(plan_of(text), testing::HasSubstr("then add_relu_add"));
    EXPECT_TRUE(test::modes_agree(ir::parse("// tutti ir 1\n" + text).functions.at(0),
                                  {digits(each.x_shape), digits(each.weight_shape),
                                   digits(bias_shape), digits(each.result_shape)}))
        << text;
  }
}

TEST(FuseEpilogues, WhatFollowsTilesOfChannelsLastHasTheirResults) {
  const std::string text = R"(
func @block(%x: f32[5,17,19,48], %w: f32[96,48,3,3], %b: f32[96], %r: f32[5,17,19,96]) -> (f32[5,17,19,96]) {
  %0 = transpose(%x) {permutation = [0, 3, 1, 2]} : f32[5,48,17,19]
  %1 = conv(%0, %w) {stride = [1, 1], low = [1, 1], high = [1, 1], dilation = [1, 1], groups = 1} : f32[5,96,17,19]
  %2 = transpose(%1) {permutation = [0, 2, 3, 1]} : f32[5,17,19,96]
  %3 = add(%2, %b) : f32[5,17,19,96]
  %4 = relu(%3) : f32[5,17,19,96]
  %5 = add(%4, %r) : f32[5,17,19,96]
  return %5
})";
  EXPECT_THAT(plan_of(text), testing::HasSubstr("then add_relu_add"));
  EXPECT_TRUE(test::modes_agree(
      ir::parse("// tutti ir 1\n" + text).functions.at(0),
      {digits({5, 17, 19, 48}), digits({96, 48, 3, 3}), digits({96}), digits({5, 17, 19, 96})}));
}

TEST(FuseEpilogues, LongerRowsAreNot) {
  EXPECT_THAT(plan_of(R"(
func @scores(%q: f32[512,64], %k: f32[64,1024]) -> (f32[512,1024]) {
  %0 = matmul(%q, %k) : f32[512,1024]
  %1 = softmax(%0) {axis = 1} : f32[512,1024]
  return %1
})"),
              testing::Not(testing::HasSubstr(" then ")));
}

TEST(FuseEpilogues, AKernelThatReadsOtherTilesWaits) {
  EXPECT_THAT(plan_of(R"(
func @turned(%x: f32[256,64], %w: f32[64,256]) -> (f32[256,256]) {
  %0 = matmul(%x, %w) : f32[256,256]
  %1 = transpose(%0) {permutation = [1, 0]} : f32[256,256]
  %2 = add(%0, %1) : f32[256,256]
  return %2
})"),
              testing::Not(testing::HasSubstr(" then ")));
}

TEST(FuseEpilogues, AKernelThatNeedsALaterResultWaits) {
  EXPECT_THAT(plan_of(R"(
func @two(%x: f32[256,64], %w: f32[64,256], %v: f32[64,256]) -> (f32[256,256]) {
  %0 = matmul(%x, %w) : f32[256,256]
  %1 = matmul(%x, %v) : f32[256,256]
  %2 = mul(%0, %1) : f32[256,256]
  return %2
})"),
              testing::AllOf(testing::HasSubstr("256x64x256\" ("), testing::HasSubstr("then mul")));
}

TEST(FuseEpilogues, AKernelThatMayWorkInPlaceStaysAlone) {
  EXPECT_THAT(plan_of(R"(
func @step(%x: f32[256,64], %g: f32[64,256], %w: f32[256,256] {donate}) -> (f32[256,256]) {
  %0 = matmul(%x, %g) : f32[256,256]
  %1 = sub(%w, %0) : f32[256,256]
  return %1
})"),
              testing::Not(testing::HasSubstr(" then ")));
}

}  // namespace
}  // namespace tutti::codegen::fuse_epilogues_test
