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
func @block(%x: f32[4,32,28,28], %w: f32[64,32,3,3], %b: f32[64,1,1], %r: f32[5,64,28,28]) -> (f32[4,64,28,28]) {
  %0 = conv(%x, %w) {stride = [1, 1], low = [1, 1], high = [1, 1], dilation = [1, 1], groups = 1} : f32[4,64,28,28]
  %1 = add(%0, %b) : f32[4,64,28,28]
  %2 = relu(%1) : f32[4,64,28,28]
  %3 = slice(%r) {start = [1, 0, 0, 0], stop = [5, 64, 28, 28], step = [1, 1, 1, 1]} : f32[4,64,28,28]
  %4 = add(%2, %3) : f32[4,64,28,28]
  return %4
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

// Sums of small integers are exact in any order.
ir::Array digits(const Shape& shape) {
  std::vector<float> values(static_cast<std::size_t>(shape.elements()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(static_cast<int>(i * 7 % 23) - 11);
  }
  return ir::Array::from(std::span<const float>(values), shape);
}

struct Convolved {
  Shape x, weight, result;
  std::string window;
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
      {{3, 40, 28, 28}, {70, 40, 3, 3}, {3, 70, 28, 28}, two + "1}"},
      {{2, 64, 32, 32}, {64, 1, 3, 3}, {2, 64, 32, 32}, two + "64}"},
      {{5, 8, 21, 20}, {12, 4, 3, 3}, {5, 12, 11, 16}, apart},
      {{2, 6, 5, 18, 18}, {8, 6, 3, 3, 3}, {2, 8, 3, 18, 18}, three},
      {{1, 9, 4096}, {33, 9, 3}, {1, 33, 4096}, one},
      {{20, 3, 24, 24}, {10, 3, 15, 15}, {20, 10, 10, 10}, none},  // a weight's gradient
      {{2, 16, 40, 40}, {4, 16, 32, 32}, {2, 4, 9, 9}, none},      // one that is made in parts
  };
  for (const Convolved& each : all) {
    std::vector<std::int64_t> outputs(static_cast<std::size_t>(each.x.rank()) - 1, 1);
    outputs[0] = each.result[1];
    const Shape bias(outputs);
    // Larger than the result, whose memory it would lend else.
    std::vector<std::int64_t> larger(each.result.begin(), each.result.end());
    ++larger[0];
    const Shape more(larger);
    const std::vector<std::int64_t> ones(larger.size(), 1);
    std::vector<std::int64_t> first(larger.size(), 0);
    first[0] = 1;
    const std::string result = "f32" + each.result.text();
    const std::string text =
        "\nfunc @block(%x: f32" + each.x.text() + ", %w: f32" + each.weight.text() + ", %b: f32" +
        bias.text() + ", %r: f32" + more.text() + ") -> (" + result + ") {\n  %0 = conv(%x, %w) " +
        each.window + "\n  %1 = add(%0, %b)\n  %2 = relu(%1)\n" +
        "  %3 = slice(%r) {start = " + Shape(first).text() + ", stop = " + more.text() +
        ", step = " + Shape(ones).text() + "}\n  %4 = add(%2, %3)\n  return %4\n}";
    EXPECT_THAT(plan_of(text), testing::HasSubstr("then add_relu_add"));
    EXPECT_TRUE(
        test::modes_agree(ir::parse("// tutti ir 1\n" + text).functions.at(0),
                          {digits(each.x), digits(each.weight), digits(bias), digits(more)}))
        << text;
  }
}

TEST(FuseEpilogues, WhatFollowsTilesOfChannelsLastHasTheirResults) {
  const std::string text = R"(
func @block(%x: f32[5,17,19,48], %w: f32[96,48,3,3], %b: f32[96], %r: f32[17,19,1]) -> (f32[5,17,19,96]) {
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
      {digits({5, 17, 19, 48}), digits({96, 48, 3, 3}), digits({96}), digits({17, 19, 1})}));
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
