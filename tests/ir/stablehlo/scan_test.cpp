#include <tutti/ir/derive/linearize.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/passes/passes.h>
#include <tutti/ir/stablehlo/find_scans.h>
#include <tutti/ir/text/print.h>

#include "tests/ir/stablehlo/testing.h"
#include <gmock/gmock.h>

// While loops of StableHLO that count become scans.
namespace tutti::ir::stablehlo_scan_test {
namespace {

using test::f32;
using testing::HasSubstr;
using testing::Not;

struct LoopText {
  std::string dtype = "i32";
  std::string first = "0";
  std::string bound = "3";
  std::string by = "1";
  std::string compare = "LT, %i, %bound";
  std::string index = "%i";  // at which x is read and y is filled
  std::string before = "";   // in the body, defines an index
  std::string old = "%zeros";
  std::string update = "%next";
};

// y[i] = h = h * x[i] in the order of the steps, from h on.
std::string loop(const LoopText& text) {
  const std::string t = "tensor<" + text.dtype + ">";
  return test::stablehlo_function(
      "%h0: tensor<2xf32>, %x: tensor<3x2xf32>", "tensor<2xf32>, tensor<3x2xf32>",
      R"(
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<3x2xf32>
    %c = stablehlo.constant dense<)" +
          text.first + "> : " + t + R"(
    %0:3 = stablehlo.while(%i = %c, %h = %h0, %y = )" +
          text.old + ") : " + t + R"(, tensor<2xf32>, tensor<3x2xf32>
    cond {
      %bound = stablehlo.constant dense<)" +
          text.bound + "> : " + t + R"(
      %1 = stablehlo.compare )" +
          text.compare + " : (" + t + ", " + t + R"() -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %none = stablehlo.constant dense<0> : )" +
          t + "\n      %by = stablehlo.constant dense<" + text.by + "> : " + t + "\n" +
          text.before + "      %2 = stablehlo.dynamic_slice %x, " + text.index +
          ", %none, sizes = [1, 2] : (tensor<3x2xf32>, " + t + ", " + t +
          R"() -> tensor<1x2xf32>
      %3 = stablehlo.reshape %2 : (tensor<1x2xf32>) -> tensor<2xf32>
      %next = stablehlo.multiply %h, %3 : tensor<2xf32>
      %4 = stablehlo.reshape )" +
          text.update +
          R"( : (tensor<2xf32>) -> tensor<1x2xf32>
      %5 = stablehlo.dynamic_update_slice %y, %4, )" +
          text.index + ", %none : (tensor<3x2xf32>, tensor<1x2xf32>, " + t + ", " + t +
          R"() -> tensor<3x2xf32>
      %6 = stablehlo.add %i, %by : )" +
          t + "\n      stablehlo.return %6, %next, %5 : " + t +
          R"(, tensor<2xf32>, tensor<3x2xf32>
    }
    return %0#1, %0#2 : tensor<2xf32>, tensor<3x2xf32>)");
}

const Array kStart = f32({1, 2});
const Array kSteps = f32({2, 3, 5, 7, 11, 13}, {3, 2});

std::string imported(const LoopText& text) { return print(test::import_main(loop(text))); }

std::vector<Array> run(const LoopText& text) {
  return test::run_stablehlo(loop(text), {kStart, kSteps});
}

const char* const kForward =
    "= scan(%h0, %x) {body = @body, carries = 1, sequences = 1, length = 3}";
const char* const kBackward =
    "= scan(%h0, %x) {body = @body, carries = 1, sequences = 1, length = 3, reverse = true}";

TEST(StablehloScan, ALoopThroughStackedValuesIsOne) {
  const LoopText text;
  EXPECT_THAT(imported(text), HasSubstr(kForward));
  EXPECT_THAT(imported(text), Not(HasSubstr("%i")));  // nothing needs the counter
  EXPECT_EQ(run(text)[0], f32({110, 546}));
  EXPECT_EQ(run(text)[1], f32({2, 6, 10, 42, 110, 546}, {3, 2}));
  EXPECT_THAT(imported({.compare = "GT, %bound, %i"}), HasSubstr(kForward));
}

TEST(StablehloScan, TheLastStepMayComeFirst) {
  const LoopText text{.index = "%at", .before = R"(
      %n = stablehlo.constant dense<3> : tensor<i32>
      %a = stablehlo.subtract %n, %i : tensor<i32>
      %at = stablehlo.subtract %a, %by : tensor<i32>
)"};
  EXPECT_THAT(imported(text), HasSubstr(kBackward));
  EXPECT_EQ(run(text)[1], f32({110, 546, 55, 182, 11, 26}, {3, 2}));
}

TEST(StablehloScan, ThePlaceMayBeSaidInManyWays) {
  // Counted from elsewhere and by more than one; negative places wrapped, as NumPy does.
  const LoopText counted{.first = "4", .bound = "9", .by = "2", .index = "%at", .before = R"(
      %four = stablehlo.constant dense<-4> : tensor<i32>
      %a = stablehlo.add %i, %four : tensor<i32>
      %at = stablehlo.divide %a, %by : tensor<i32>
)"};
  EXPECT_THAT(imported(counted), Not(HasSubstr("sequences = 1")));  // of division nothing is known
  EXPECT_EQ(run(counted)[1], f32({2, 6, 10, 42, 110, 546}, {3, 2}));
  const LoopText wrapped{.first = "-3", .bound = "0", .index = "%at", .before = R"(
      %negative = stablehlo.compare LT, %i, %none, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %n = stablehlo.constant dense<3> : tensor<i32>
      %a = stablehlo.add %i, %n : tensor<i32>
      %at = stablehlo.select %negative, %a, %i : tensor<i1>, tensor<i32>
)"};
  EXPECT_THAT(imported(wrapped), HasSubstr(kForward));
  EXPECT_EQ(run(wrapped)[1], f32({2, 6, 10, 42, 110, 546}, {3, 2}));
}

TEST(StablehloScan, WhatIsReadOrFilledElsewhereStaysWhole) {
  // Clamped at the end, the place is no longer the step's own.
  const LoopText shifted{.index = "%at",
                         .before = "      %at = stablehlo.add %i, %by : tensor<i32>\n"};
  EXPECT_THAT(imported(shifted), HasSubstr("carries = 3, sequences = 0, length = 3}"));
  EXPECT_EQ(run(shifted)[1], f32({0, 0, 5, 14, 605, 2366}, {3, 2}));
  const LoopText fewer{.bound = "2"};
  EXPECT_THAT(imported(fewer), HasSubstr("carries = 3, sequences = 0, length = 2}"));
  EXPECT_EQ(run(fewer)[1], f32({2, 6, 10, 42, 0, 0}, {3, 2}));
  // The new row is made of old ones.
  const LoopText reads{.before = R"(
      %row = stablehlo.dynamic_slice %y, %i, %none, sizes = [1, 2] : (tensor<3x2xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
      %old = stablehlo.reshape %row : (tensor<1x2xf32>) -> tensor<2xf32>
)",
                       .old = "%x",
                       .update = "%old"};
  EXPECT_THAT(imported(reads), HasSubstr("carries = 3, sequences = 1"));
  EXPECT_EQ(run(reads)[1], kSteps);
}

TEST(StablehloScan, ALoopOfUnknownLengthStaysALoop) {
  const auto stays = [](const LoopText& text) {
    return imported(text).find("while_loop(") != std::string::npos;
  };
  EXPECT_TRUE(stays({.compare = "NE, %i, %bound"}));
  EXPECT_TRUE(stays({.bound = "0"}));  // no steps
  EXPECT_TRUE(stays({.by = "0"}));     // without end
  EXPECT_TRUE(stays({.by = "-1"}));    // wraps around first
  EXPECT_TRUE(stays({.first = "5", .by = "-1", .compare = "GT, %i, %bound"}));
  EXPECT_TRUE(stays({.dtype = "i8", .bound = "127", .by = "2"}));  // past its range, without end
  EXPECT_FALSE(stays({.dtype = "i8", .bound = "127"}));
}

TEST(StablehloScan, HasAGradient) {
  Graph graph = test::import_main(loop({}));
  const std::vector<Value> results(graph.results());
  const std::vector<Value> parameters = {graph.parameters()[0].value, graph.parameters()[1].value};
  Builder builder(graph);
  const Linear gradient = pullback(builder, results, parameters);
  std::vector<Value> arguments = {builder.constant(f32({1, 1})),
                                  builder.constant(Array(DType::f32, {3, 2}))};
  arguments.insert(arguments.end(), gradient.captured.begin(), gradient.captured.end());
  graph.set_results(inline_into(builder, gradient.graph, arguments));
  const std::vector<Array> out = interpret(graph, {kStart, kSteps});
  EXPECT_EQ(out[0], f32({110, 273}));
  EXPECT_EQ(out[1], f32({55, 182, 22, 78, 10, 42}, {3, 2}));
}

}  // namespace
}  // namespace tutti::ir::stablehlo_scan_test
