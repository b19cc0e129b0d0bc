// Convolutions whose results lie as the transposes that read them want it.

#include <tutti/codegen/conv_layout.h>
#include <tutti/codegen/driver/make_plan.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/passes/passes.h>
#include <tutti/ir/text/print.h>
#include <tutti/ir/verify/verify.h>

#include <string>
#include <vector>

#include "tests/support/run_graph.h"
#include <gmock/gmock.h>

namespace tutti::codegen::conv_layout_test {
namespace {

using testing::HasSubstr;
using testing::Not;

ir::Array waves(const Shape& shape, float by) {
  std::vector<float> values(static_cast<std::size_t>(shape.elements()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(static_cast<int>(i * 7 % 23) - 11) * by;
  }
  return ir::Array::from(std::span<const float>(values), shape);
}

// Images [2, 9, 8, 6] with channels last, and a weight [3, 3, 6, 24]; then what follows the
// convolution %0, f32[2, 24, 9, 8].
std::string program(const std::string& behind, const std::string& functions = "") {
  return functions + R"(
func @f(%x: f32[2,9,8,6], %w: f32[3,3,6,24]) {
  %x1 = transpose(%x) {permutation = [0, 3, 1, 2]}
  %w1 = transpose(%w) {permutation = [3, 2, 0, 1]}
  %0 = conv(%x1, %w1) {stride = [1, 1], low = [1, 1], high = [1, 1], dilation = [1, 1], groups = 1}
)" + behind +
         "}\n";
}

ir::Graph graph_of(const std::string& text) {
  ir::Graph graph = ir::parse(text).functions.back();
  ir::verify(graph);
  return graph;
}

std::size_t stored_otherwise(const std::string& text) {
  return find_conv_layouts(graph_of(text)).size();
}

void expect_agreement(const std::string& text) {
  EXPECT_TRUE(test::modes_agree(graph_of(text),
                                {waves({2, 9, 8, 6}, 0.25F), waves({3, 3, 6, 24}, 0.125F)}, 8))
      << text;
}

// What skip_zeros makes of a transposed one: three with a window, and a product.
TEST(ConvLayout, OfConvolutionsBetweenZerosIsThatOfTheTranspose) {
  ir::Graph graph = graph_of(R"(
func @f(%x: f32[16,9,8,6], %w: f32[3,3,6,24]) {
  %x1 = transpose(%x) {permutation = [0, 3, 1, 2]}
  %w1 = transpose(%w) {permutation = [3, 2, 0, 1]}
  %zero = constant() {value = f32[] 0}
  %x2 = pad(%x1, %zero) {low = [0, 0, 1, 1], high = [0, 0, 2, 2], interior = [0, 0, 1, 1]}
  %0 = conv(%x2, %w1) {stride = [1, 1], low = [0, 0], high = [0, 0], dilation = [1, 1], groups = 1}
  %1 = transpose(%0) {permutation = [0, 2, 3, 1]}
  return %1
})");
  EXPECT_TRUE(
      test::modes_agree(graph, {waves({16, 9, 8, 6}, 0.25F), waves({3, 3, 6, 24}, 0.125F)}, 8));
  ir::run_passes(graph);
  EXPECT_EQ(find_conv_layouts(graph).size(), 3U) << ir::print(graph);
}

constexpr const char* kChannelsLast = "%1 = transpose(%0) {permutation = [0, 2, 3, 1]}\n";

TEST(ConvLayout, IsThatOfTheTransposesBehindIt) {
  const std::string returned = program(std::string(kChannelsLast) + "return %1\n");
  const auto layouts = find_conv_layouts(graph_of(returned));
  ASSERT_EQ(layouts.size(), 1U);
  const auto& strides = layouts.begin()->second;
  EXPECT_THAT(std::vector(strides.begin(), strides.begin() + 4),
              testing::ElementsAre(9 * 8 * 24, 1, 8 * 24, 24));
  expect_agreement(returned);
  ir::Graph graph = graph_of(returned);
  ir::run_passes(graph);
  EXPECT_THAT(print(make_plan(graph, 0)), Not(HasSubstr("launch copy")));
}

TEST(ConvLayout, MayBringImagesBehindThePlaces) {
  const std::string text =
      program("%1 = transpose(%0) {permutation = [2, 3, 0, 1]}\n%2 = exp(%1)\nreturn %2\n");
  EXPECT_EQ(stored_otherwise(text), 1U);
  expect_agreement(text);
}

TEST(ConvLayout, OfSeveralTransposesAlike) {
  const std::string text = program(std::string(kChannelsLast) +
                                   "%2 = transpose(%0) {permutation = [0, 2, 3, 1]}\n"
                                   "%3 = exp(%1)\n%4 = sum(%2) {axes = [0, 1, 2]}\n"
                                   "%5 = add(%3, %4)\nreturn %5, %1\n");
  EXPECT_EQ(stored_otherwise(text), 1U);
  expect_agreement(text);
}

TEST(ConvLayout, StaysWhereSomethingElseReadsIt) {
  for (const std::string& behind :
       {std::string(kChannelsLast) + "return %1, %0\n",
        std::string(kChannelsLast) + "%2 = exp(%0)\nreturn %1, %2\n",
        std::string(kChannelsLast) +
            "%2 = transpose(%0) {permutation = [0, 3, 2, 1]}\nreturn %1, %2\n",
        std::string("%1 = transpose(%0) {permutation = [1, 0, 2, 3]}\nreturn %1\n"),
        std::string("return %0\n")}) {
    const std::string text = program(behind);
    EXPECT_EQ(stored_otherwise(text), 0U) << text;
    expect_agreement(text);
  }
}

TEST(ConvLayout, OfSeveralGroups) {
  const std::string text = R"(
func @f(%x: f32[2,9,8,6], %w: f32[3,3,2,24]) {
  %x1 = transpose(%x) {permutation = [0, 3, 1, 2]}
  %w1 = transpose(%w) {permutation = [3, 2, 0, 1]}
  %0 = conv(%x1, %w1) {stride = [1, 1], low = [1, 1], high = [1, 1], dilation = [1, 1], groups = 3}
  %1 = transpose(%0) {permutation = [0, 2, 3, 1]}
  %2 = exp(%1)
  return %1, %2
})";
  EXPECT_EQ(stored_otherwise(text), 1U);
  EXPECT_TRUE(test::modes_agree(graph_of(text),
                                {waves({2, 9, 8, 6}, 0.25F), waves({3, 3, 2, 24}, 0.125F)}, 8));
}

// What the loop gives, and what it gets.
TEST(ConvLayout, InBodiesOfLoops) {
  const std::string text = R"(
private func @body(%h: f32[2,9,8,24], %w: f32[3,3,24,24]) {
  %h1 = transpose(%h) {permutation = [0, 3, 1, 2]}
  %w1 = transpose(%w) {permutation = [3, 2, 0, 1]}
  %0 = conv(%h1, %w1) {stride = [1, 1], low = [1, 1], high = [1, 1], dilation = [1, 1], groups = 1}
  %1 = transpose(%0) {permutation = [0, 2, 3, 1]}
  return %1
}
func @f(%x: f32[2,9,8,24], %w: f32[3,3,24,24]) {
  %0 = scan(%x, %w) {body = @body, carries = 1, sequences = 0, length = 3}
  %1 = neg(%0)
  return %1
}
)";
  EXPECT_TRUE(test::modes_agree(graph_of(text),
                                {waves({2, 9, 8, 24}, 0.25F), waves({3, 3, 24, 24}, 0.02F)}, 64));
}

TEST(ConvLayout, OfFewOutputsOfAGroupAndSmallOnesStays) {
  const auto with = [](const std::string& x, const std::string& w, int groups) {
    return stored_otherwise("func @f(%x: f32[" + x + "], %w: f32[" + w + R"(]) {
  %0 = conv(%x, %w) {stride = [1, 1], low = [1, 1], high = [1, 1], dilation = [1, 1], groups = )" +
                            std::to_string(groups) + "}\n" + kChannelsLast + "return %1\n}\n");
  };
  EXPECT_EQ(with("2,6,40,40", "8,6,3,3", 1), 1U);
  EXPECT_EQ(with("2,6,40,40", "7,6,3,3", 1), 0U);
  EXPECT_EQ(with("2,6,40,40", "14,3,3,3", 2), 0U);
  EXPECT_EQ(with("2,6,40,40", "16,3,3,3", 2), 1U);
  EXPECT_EQ(with("1,2,4,4", "8,2,3,3", 1), 0U);
}

}  // namespace
}  // namespace tutti::codegen::conv_layout_test
