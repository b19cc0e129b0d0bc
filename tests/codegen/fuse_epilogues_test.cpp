#include <tutti/codegen/driver/make_plan.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/passes/passes.h>

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
