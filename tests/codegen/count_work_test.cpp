#include <tutti/codegen/driver/make_plan.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/passes/passes.h>

#include <gtest/gtest.h>

namespace tutti::codegen::count_work_test {
namespace {

using runtime::WorkCounts;

// Of all launches of a program together.
WorkCounts counts_of(const std::string& function, std::size_t launches = 1) {
  ir::Graph graph = ir::parse("// tutti ir 1\n" + function).functions.at(0);
  ir::run_passes(graph);
  const Plan plan = make_plan(graph, 0);
  WorkCounts out;
  std::size_t found = 0;
  for (const Step& step : plan.steps) {
    const auto* const launch = std::get_if<Launch>(&step);
    if (launch == nullptr) continue;
    ++found;
    for (const LaunchPart& part : launch->parts) out += part.counts;
  }
  EXPECT_EQ(found, launches) << print(plan);
  return out;
}

void expect_counts(const WorkCounts& counts, const WorkCounts& expected) {
  EXPECT_EQ(counts.bytes_read, expected.bytes_read);
  EXPECT_EQ(counts.bytes_written, expected.bytes_written);
  EXPECT_EQ(counts.flops, expected.flops);
  EXPECT_EQ(counts.double_flops, expected.double_flops);
}

TEST(CountWork, AnElementwiseGroupReadsItsArgumentsOnce) {
  expect_counts(
      counts_of(R"(
func @f(%x: f32[64,32], %y: f32[64,32]) -> (f32[64,32]) {
  %0 = add(%x, %y) : f32[64,32]
  %1 = mul(%0, %x) : f32[64,32]
  %2 = exp(%1) : f32[64,32]
  return %2
})"),
      {.bytes_read = 2 * 64 * 32 * 4, .bytes_written = 64 * 32 * 4, .flops = 3 * 64 * 32});
}

TEST(CountWork, WhatIsBroadcastIsReadOnce) {
  expect_counts(
      counts_of(R"(
func @f(%x: f32[64,32], %b: f32[32]) -> (f32[64,32]) {
  %0 = broadcast_to(%b) {shape = [64, 32]} : f32[64,32]
  %1 = add(%x, %0) : f32[64,32]
  return %1
})"),
      {.bytes_read = 64 * 32 * 4 + 32 * 4, .bytes_written = 64 * 32 * 4, .flops = 64 * 32});
}

TEST(CountWork, WhatIsTakenIsReadOnceForEachIndexAndNeverMoreThanThereIs) {
  const auto function = [](const std::string& rows) {
    return "func @f(%x: f32[" + rows + R"(,32], %i: i64[20]) -> (f32[20,32]) {
  %0 = take(%x, %i) {axis = 0} : f32[20,32]
  %1 = neg(%0) : f32[20,32]
  return %1
})";
  };
  const std::int64_t taken = 20 * 32 * 4;
  expect_counts(counts_of(function("100")),
                {.bytes_read = taken + 20 * 8, .bytes_written = taken, .flops = 20 * 32});
  expect_counts(counts_of(function("5")),
                {.bytes_read = 5 * 32 * 4 + 20 * 8, .bytes_written = taken, .flops = 20 * 32});
}

TEST(CountWork, AReductionCountsOneFlopAnElement) {
  expect_counts(counts_of(R"(
func @f(%x: f64[64,32]) -> (f64[64]) {
  %0 = sum(%x) {axes = [1]} : f64[64]
  return %0
})"),
                {.bytes_read = 64 * 32 * 8, .bytes_written = 64 * 8, .double_flops = 64 * 32});
}

TEST(CountWork, IntegersAndComparisonsAreNoFlops) {
  expect_counts(counts_of(R"(
func @f(%x: i32[100], %y: i32[100]) -> (i32[100]) {
  %0 = add(%x, %y) : i32[100]
  return %0
})"),
                {.bytes_read = 800, .bytes_written = 400});
  expect_counts(counts_of(R"(
func @f(%x: f32[100], %y: f32[100]) -> (bool[100]) {
  %0 = lt(%x, %y) : bool[100]
  return %0
})"),
                {.bytes_read = 800, .bytes_written = 100});
}

TEST(CountWork, HalvesAreComputedInSingle) {
  expect_counts(counts_of(R"(
func @f(%x: bf16[100]) -> (bf16[100]) {
  %0 = tanh(%x) : bf16[100]
  return %0
})"),
                {.bytes_read = 200, .bytes_written = 200, .flops = 100});
}

TEST(CountWork, AProductHasTwoFlopsAnElementOfTheSum) {
  expect_counts(counts_of(R"(
func @f(%a: f32[5,64,32], %b: f32[5,32,16]) -> (f32[5,64,16]) {
  %0 = matmul(%a, %b) : f32[5,64,16]
  return %0
})"),
                {.bytes_read = 5 * (64 * 32 + 32 * 16) * 4,
                 .bytes_written = 5 * 64 * 16 * 4,
                 .flops = 2 * 5 * 64 * 32 * 16});
  expect_counts(counts_of(R"(
func @f(%a: f64[8,4], %b: f64[4,2]) -> (f64[8,2]) {
  %0 = matmul(%a, %b) : f64[8,2]
  return %0
})"),
                {.bytes_read = (8 * 4 + 4 * 2) * 8,
                 .bytes_written = 8 * 2 * 8,
                 .double_flops = 2 * 8 * 4 * 2});
}

TEST(CountWork, AnEpilogueDoesNotReadTheProductAgain) {
  expect_counts(counts_of(R"(
func @f(%a: f32[128,64], %b: f32[64,256], %c: f32[256]) -> (f32[128,256]) {
  %0 = matmul(%a, %b) : f32[128,256]
  %1 = broadcast_to(%c) {shape = [128, 256]} : f32[128,256]
  %2 = add(%0, %1) : f32[128,256]
  return %2
})"),
                {.bytes_read = (128 * 64 + 64 * 256 + 256) * 4,
                 .bytes_written = 2 * 128 * 256 * 4,
                 .flops = 2 * 128 * 64 * 256 + 128 * 256});
}

TEST(CountWork, ATakeReadsNoMoreThanItTakes) {
  expect_counts(counts_of(R"(
func @f(%table: f32[1000,16], %rows: i64[10]) -> (f32[10,16]) {
  %0 = take(%table, %rows) {axis = 0} : f32[10,16]
  return %0
})"),
                {.bytes_read = 10 * 16 * 4 + 10 * 8, .bytes_written = 10 * 16 * 4});
}

TEST(CountWork, ACopyReadsWhatItWrites) {
  expect_counts(counts_of(R"(
func @f(%a: f32[32,64]) -> (f32[64,32]) {
  %0 = transpose(%a) {permutation = [1, 0]} : f32[64,32]
  return %0
})"),
                {.bytes_read = 32 * 64 * 4, .bytes_written = 32 * 64 * 4});
}

}  // namespace
}  // namespace tutti::codegen::count_work_test
