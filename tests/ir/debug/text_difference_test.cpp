#include <tutti/ir/debug/correspondence.h>
#include <tutti/ir/debug/text_difference.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/passes/passes.h>
#include <tutti/ir/text/print.h>

#include "tests/support/random/random_program.h"
#include <gmock/gmock.h>

namespace tutti::ir::text_difference_test {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(TextDifference, IsEmptyForEqualTexts) {
  EXPECT_EQ(text_difference("a\nb\n", "a\nb\n"), "");
  EXPECT_EQ(text_difference("", ""), "");
}

TEST(TextDifference, ShowsLinesWithTheirSurroundings) {
  EXPECT_EQ(text_difference("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\n5\nsix\n7\n8\n9\n"),
            "--- before\n+++ after\n@@ -3,7 +3,7 @@\n 3\n 4\n 5\n-6\n+six\n 7\n 8\n 9\n");
}

TEST(TextDifference, OneOfTheTextsMayBeEmpty) {
  EXPECT_EQ(text_difference("", "a\nb\n"), "--- before\n+++ after\n@@ -0,0 +1,2 @@\n+a\n+b\n");
  EXPECT_EQ(text_difference("a\n", ""), "--- before\n+++ after\n@@ -1,1 +0,0 @@\n-a\n");
}

TEST(TextDifference, HasAHunkForEachPlace) {
  std::string before;
  for (int i = 0; i < 30; ++i) before += std::to_string(i) + "\n";
  std::string after = before;
  after.replace(after.find("5\n"), 1, "five");
  after.replace(after.find("20\n"), 2, "twenty");
  EXPECT_EQ(text_difference(before, after, {.context = 1}),
            "--- before\n+++ after\n@@ -5,3 +5,3 @@\n 4\n-5\n+five\n 6\n"
            "@@ -20,3 +20,3 @@\n 19\n-20\n+twenty\n 21\n");
  EXPECT_THAT(text_difference(before, after, {.context = 7}), Not(HasSubstr("@@ -20")));
}

TEST(TextDifference, KeepsAsManyLinesAsTheOrderAllows) {
  EXPECT_EQ(text_difference("a\nb\nc\nd\n", "d\na\nb\nc\n", {.context = 0}),
            "--- before\n+++ after\n@@ -0,0 +1,1 @@\n+d\n@@ -4,1 +4,0 @@\n-d\n");
}

TEST(TextDifference, HasColoursOnRequest) {
  EXPECT_THAT(text_difference("a\n", "b\n", {.colours = true}),
              HasSubstr("\x1b[31m-a\x1b[0m\n\x1b[32m+b\x1b[0m\n"));
}

// What a pass changes in the one function of a program, without context.
std::string change(const std::string& program, bool (*pass)(Graph&)) {
  const Graph before = parse(program).functions[0];
  Graph after = before;
  pass(after);
  const std::string text = text_difference(before, after, {.context = 0});
  return text.substr(std::min(text.find("@@"), text.size()));
}

TEST(GraphDifference, ANodeThatWentIsOneLine) {
  EXPECT_EQ(change(R"(func @f(%x: f32[4]) {
    %0 = identity(%x)
    %1 = tanh(%0)
    %2 = exp(%1)
    %3 = neg(%2)
    return %3
  })",
                   canonicalize),
            "@@ -4,2 +4,1 @@\n-  %0 = identity(%x) : f32[4]\n-  %1 = tanh(%0) : f32[4]\n"
            "+  %1 = tanh(%x) : f32[4]\n");
}

TEST(GraphDifference, WhatWasMergedGoesByOneOfItsNames) {
  EXPECT_EQ(change(R"(func @f(%x: f32[4], %y: f32[4]) {
    %0 = tanh(%x)
    %1 = tanh(%x)
    %2 = add(%y, %1)
    %3 = mul(%2, %0)
    return %3
  })",
                   cse),
            "@@ -4,1 +3,0 @@\n-  %0 = tanh(%x) : f32[4]\n@@ -7,1 +6,1 @@\n"
            "-  %3 = mul(%2, %0) : f32[4]\n+  %3 = mul(%2, %1) : f32[4]\n");
}

TEST(GraphDifference, TheLastPartOfACompositeHasItsName) {
  const std::string text = change(R"(func @f(%x: f32[4,4]) {
    %0 = exp(%x)
    %1 = softmax(%0) {axis = 1}
    %2 = neg(%1)
    return %2
  })",
                                  decompose);
  EXPECT_THAT(text, HasSubstr("-  %1 = softmax(%0) {axis = 1} : f32[4,4]\n"));
  EXPECT_THAT(text, HasSubstr("+  %1 = div("));
  EXPECT_THAT(text, HasSubstr("+  %3 = max(%0)"));
  EXPECT_THAT(text, Not(HasSubstr("neg")));
}

TEST(GraphDifference, AMovedNodeKeepsItsName) {
  EXPECT_EQ(change(R"(group @g = {ranks = [0, 1]}
  func @f(%x: f32[4,4]) {
    %0 = all_reduce(%x) {op = "sum", group = @g}
    %1 = wait(%0)
    %2 = matmul(%x, %x)
    %3 = matmul(%1, %1)
    return %2, %3
  })",
                   fuse),
            "@@ -5,0 +6,1 @@\n+  %2 = matmul(%x, %x) : f32[4,4]\n@@ -7,1 +7,0 @@\n"
            "-  %2 = matmul(%x, %x) : f32[4,4]\n");
}

// The text with the other names is a program, the same one.
TEST(GraphDifference, NamesDifferFromEachOtherInAllPrograms) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Graph before =
        test::random_program(seed, {.nodes = 60, .mesh = test::mesh_of_four()}).graph;
    Graph after = before;
    for (const Pass& pass : all_passes()) {
      Graph last = after;
      if (!pass.run(after)) continue;
      const std::vector<std::string> names = names_from(last, after);
      const Graph again = parse(print(after, names)).functions[0];
      EXPECT_TRUE(structurally_equal(again, after)) << "seed " << seed << ", " << pass.name;
    }
  }
}

TEST(GraphDifference, TakesLinearTimeInLongPrograms) {
  std::string program = "func @f(%x: f32[4,4]) {\n  %0 = identity(%x)\n";
  for (int i = 1; i < 20000; ++i) {
    program += "  %" + std::to_string(i) + " = tanh(%" + std::to_string(i - 1) + ")\n";
  }
  EXPECT_EQ(change(program + "  return %19999\n}", canonicalize).substr(0, 16),
            "@@ -4,2 +4,1 @@\n");
}

TEST(TextDifferenceOfGraphs, ValuesInsideOfLoopsKeepTheirNames) {
  const Graph before = parse(R"(private func @cell(%h: f32[4]) {
      %0 = identity(%h)
      %1 = tanh(%0)
      %2 = exp(%1)
      return %2
    }
    func @f(%h: f32[4]) {
      %0 = scan(%h) {body = @cell, carries = 1, sequences = 0, length = 3}
      return %0
    })")
                           .functions[0];
  Graph after = before;
  const Pass* const pass = find_pass("canonicalize");
  run_passes(after, std::span(&pass, 1));
  EXPECT_EQ(text_difference(before, after, {.context = 0}),
            "--- before\n+++ after\n@@ -4,2 +4,1 @@\n-  %0 = identity(%h) : f32[4]\n"
            "-  %1 = tanh(%0) : f32[4]\n+  %1 = tanh(%h) : f32[4]\n");
}

}  // namespace
}  // namespace tutti::ir::text_difference_test
