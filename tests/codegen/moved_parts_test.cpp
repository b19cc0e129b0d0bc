// Parts that begin where numbers say (dynamic_slice), which kernels read where they lie.

#include <tutti/codegen/driver/make_plan.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/passes/passes.h>
#include <tutti/ir/verify/verify.h>

#include <string>
#include <vector>

#include "tests/support/run_graph.h"
#include <gmock/gmock.h>

namespace tutti::codegen::moved_parts_test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

ir::Graph graph_of(const std::string& text) {
  ir::Graph graph = ir::parse(text).functions.at(0);
  ir::verify(graph);
  return graph;
}

std::string plan_of(const std::string& text) {
  ir::Graph graph = graph_of(text);
  ir::run_passes(graph);
  return print(make_plan(graph, 0));
}

template <class T>
ir::Array counted(const Shape& shape, T first) {
  std::vector<T> values(static_cast<std::size_t>(shape.elements()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = first + static_cast<T>(i);
  return ir::Array::from(std::span<const T>(values), shape);
}

void expect_agreement(const std::string& text, const ir::Array& starts) {
  const ir::Graph graph = graph_of(text);
  EXPECT_TRUE(test::modes_agree(graph, {counted<float>({6, 40}, -7), starts})) << text;
}

constexpr const char* kOneKernel = R"(
func @f(%x: f32[6,40], %starts: i32[2]) {
  %0 = dynamic_slice(%x, %starts) {sizes = [2, 17]}
  %1 = transpose(%0) {permutation = [1, 0]}
  %2 = neg(%1)
  return %2
}
)";

TEST(MovedParts, AreReadByTheKernelThatUsesThem) {
  EXPECT_THAT(plan_of(kOneKernel), Not(HasSubstr("call")));
  EXPECT_THAT(plan_of(kOneKernel), ContainsRegex("b1: f32 read at 40\\*clamp\\(b0\\[0\\], 4\\) \\+ "
                                                 "clamp\\(b0\\[1\\], 23\\)"));
  for (const std::vector<std::int32_t>& starts :
       {std::vector<std::int32_t>{0, 0}, {3, 21}, {-5, 100}, {100, -2147483647 - 1}}) {
    expect_agreement(kOneKernel, ir::Array::from(std::span<const std::int32_t>(starts), {2}));
  }
}

TEST(MovedParts, MayBeginBeyondTheRangeOfSignedNumbers) {
  std::string text = kOneKernel;
  text.replace(text.find("i32[2]"), 6, "u64[2]");
  const std::vector<std::uint64_t> starts = {~std::uint64_t{0}, std::uint64_t{1} << 63};
  expect_agreement(text, ir::Array::from(std::span<const std::uint64_t>(starts), {2}));
}

// The kernel that computes the starts is another one, and a pad goes around.
TEST(MovedParts, OfComputedStartsAndPaddedAndReduced) {
  const std::string text = R"(
func @f(%x: f32[6,40], %starts: i32[2]) {
  %0 = add(%starts, %starts)
  %1 = dynamic_slice(%x, %0) {sizes = [3, 20]}
  %2 = constant() {value = f32[] 0}
  %3 = pad(%1, %2) {low = [1, 0], high = [0, 2], interior = [0, 0]}
  %4 = exp(%3)
  %5 = sum(%4) {axes = [1]}
  %6 = dynamic_slice(%1, %starts) {sizes = [1, 20]}
  return %5, %6
}
)";
  const std::vector<std::int32_t> starts = {1, 9};
  expect_agreement(text, ir::Array::from(std::span<const std::int32_t>(starts), {2}));
}

// Read behind the update, it would keep the update from being written in place.
TEST(MovedParts, AreCopiedIfTheirWholeIsUpdatedInBetween) {
  const std::string text = R"(
func @f(%x: f32[6,40], %starts: i32[2]) {
  %0 = exp(%x)
  %1 = dynamic_slice(%0, %starts) {sizes = [1, 40]}
  %2 = slice(%x) {start = [0, 0], stop = [1, 40], step = [1, 1]}
  %3 = dynamic_update_slice(%0, %2, %starts)
  %4 = sum(%3) {axes = [0]}
  %5 = reshape(%4) {shape = [1, 40]}
  %6, %7 = sort(%5) {axis = 1, descending = false}
  %8 = mul(%1, %6)
  return %8, %3
}
)";
  const std::vector<std::int32_t> starts = {4, 3};
  EXPECT_THAT(plan_of(text), HasSubstr("call dynamic_slice"));
  expect_agreement(text, ir::Array::from(std::span<const std::int32_t>(starts), {2}));
}

// Loops work on what they carry where it lies, which they could not if the part were read later.
TEST(MovedParts, AreCopiedIfALoopCarriesTheirWholeInBetween) {
  const std::string loop = R"(
private func @inner(%x: f32[6,40], %i: i32[2]) -> (f32[6,40], i32[2]) {
  %u = constant() {value = f32[1,1] [[3]]} : f32[1,1]
  %0 = dynamic_update_slice(%x, %u, %i) : f32[6,40]
  %1 = add(%i, %i) : i32[2]
  return %0, %1
}
func @f(%x: f32[6,40], %starts: i32[2]) {
  %0 = exp(%x)
  %p = dynamic_slice(%0, %starts) {sizes = [1, 4]} : f32[1,4]
  %1, %2 = scan(%0, %starts) {body = @inner, carries = 2, sequences = 0, length = 3} : f32[6,40], i32[2]
  %3 = neg(%p)
  return %1, %3
}
)";
  EXPECT_THAT(plan_of(loop), HasSubstr("call dynamic_slice"));
  const std::vector<std::int32_t> starts = {1, 2};
  expect_agreement(loop, ir::Array::from(std::span<const std::int32_t>(starts), {2}));
}

TEST(MovedParts, OfSomethingLargeThatIsDoneWithAreCopied) {
  std::string text = R"(
func @f(%x: f32[6,100000], %starts: i32[2]) {
  %0 = exp(%x)
  %1 = dynamic_slice(%0, %starts) {sizes = [1, 4]}
  %2 = slice(%x) {start = [0, 0], stop = [1, 4], step = [1, 1]}
)";
  // Each a kernel of its own.
  for (int i = 2; i < 40; ++i) {
    text += "  %" + std::to_string(i + 1) + " = cumsum(%" + std::to_string(i) +
            ") {axis = 1, reverse = false}\n";
  }
  EXPECT_THAT(plan_of(text + "  %41 = neg(%1)\n  %42 = mul(%41, %40)\n  return %42\n}\n"),
              HasSubstr("call dynamic_slice"));
  std::string early = text;
  early.insert(early.find("  %2 ="), "  %early = neg(%1)\n");
  EXPECT_THAT(plan_of(early + "  return %early, %40\n}\n"), Not(HasSubstr("call dynamic_slice")));
}

}  // namespace
}  // namespace tutti::codegen::moved_parts_test
