#include <tutti/ir/derive/value_use.h>
#include <tutti/ir/parse/parse.h>

#include <gmock/gmock.h>

namespace tutti::ir::value_use_test {
namespace {

using testing::ElementsAre;

// Which operands of the program's last node these results of it need.
std::vector<bool> needed(const std::string& text, const std::vector<bool>& results) {
  const Graph graph = parse(text).functions.back();
  ValueUse use;
  return use.operands(graph, static_cast<NodeId>(graph.node_count() - 1), results);
}

TEST(ValueUse, WhatIsMadeLikeAValueNeedsItsTypeAlone) {
  EXPECT_THAT(needed("func @f(%x: f32[2]) { %0 = zeros_like(%x) return %0 }", {true}),
              ElementsAre(false));
  EXPECT_THAT(needed("func @f(%x: f32[2], %y: f32[2]) { %0 = optimization_barrier(%x, %y) "
                     "return %0 }",
                     {true}),
              ElementsAre(true, false));
  EXPECT_THAT(needed("func @f(%x: f32[2], %y: f32[2]) { %0 = mul(%x, %y) return %0 }", {true}),
              ElementsAre(true, true));
}

TEST(ValueUse, OfBranchesIsThatOfAnyForTheResultsThatCount) {
  const std::string text = R"(
    private func @product(%x: f32[2], %y: f32[2], %z: f32[2]) {
      %0 = mul(%x, %x)
      return %0, %y
    }
    private func @nothing(%x: f32[2], %y: f32[2], %z: f32[2]) {
      %0 = add(%y, %z)
      %1 = zeros_like(%0)
      return %1, %y
    }
    func @f(%i: i32[], %x: f32[2], %y: f32[2], %z: f32[2]) {
      %0, %1 = conditional(%i, %x, %y, %z) {branches = [@product, @nothing]}
      return %0, %1
    })";
  EXPECT_THAT(needed(text, {true, false}), ElementsAre(true, true, false, false));
  EXPECT_THAT(needed(text, {false, true}), ElementsAre(true, false, true, false));
}

// %a comes of %b in the step after next, and both of what is no carry; %c goes its own way.
TEST(ValueUse, OfALoopGoesThroughItsCarries) {
  const std::string text = R"(
    private func @step(%a: f32[], %b: f32[], %c: f32[], %x: f32[], %w: f32[]) {
      %0 = add(%a, %b)
      %1 = mul(%b, %x)
      %2 = mul(%c, %w)
      return %0, %1, %2, %x, %2
    }
    func @f(%a: f32[], %xs: f32[4], %w: f32[]) {
      %0, %1, %2, %3, %4 = scan(%a, %a, %a, %xs, %w) {body = @step, carries = 3, sequences = 1, length = 4}
      return %0, %1, %2, %3, %4
    })";
  EXPECT_THAT(needed(text, {true, false, false, false, false}),
              ElementsAre(true, true, false, true, false));
  EXPECT_THAT(needed(text, {false, false, false, true, false}),
              ElementsAre(false, false, false, true, false));
  EXPECT_THAT(needed(text, {false, false, false, false, true}),
              ElementsAre(false, false, true, false, true));
}

TEST(ValueUse, ALoopsConditionDecidesAboutAll) {
  const std::string text = R"(
    private func @less(%i: i32[], %x: f32[], %n: i32[]) { %0 = lt(%i, %n) return %0 }
    private func @next(%i: i32[], %x: f32[], %n: i32[]) { %0 = add(%i, %n) return %0, %x }
    func @f(%i: i32[], %x: f32[], %n: i32[]) {
      %0, %1 = while_loop(%i, %x, %n) {condition = @less, body = @next, carries = 2}
      return %0, %1
    })";
  EXPECT_THAT(needed(text, {true, false}), ElementsAre(true, false, true));
  EXPECT_THAT(needed(text, {false, true}), ElementsAre(true, true, true));
}

}  // namespace
}  // namespace tutti::ir::value_use_test
