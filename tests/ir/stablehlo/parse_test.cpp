#include <tutti/ir/stablehlo/parse.h>

#include "tests/ir/stablehlo/testing.h"
#include <gmock/gmock.h>

namespace tutti::ir::stablehlo_parse_test {
namespace {

using stablehlo::TreeModule;
using test::refusal;
using test::run_stablehlo;
using test::stablehlo_function;
using testing::HasSubstr;
using testing::StartsWith;

// The constant's value, as a result.
Array constant(const std::string& value) {
  const std::string type = value.substr(value.find(": ") + 2);
  return run_stablehlo(
      stablehlo_function("", type, "%0 = stablehlo.constant " + value + "\nreturn %0 : " + type),
      {})[0];
}

TEST(StablehloParse, ReadsFunctionsMeshesAndAttributes) {
  const std::string text = R"(
#loc = loc(unknown)
#map = {"key" = [1, 2], flag}
module @jit_f attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]> {other = 1 : i64}
  func.func public @main(%arg0: tensor<4x8xf32> {jax.buffer_donor = true} loc("x"("a.py":1:2))) -> (tensor<4x8xf32> {jax.result_info = "result"}) {
    return %arg0 : tensor<4x8xf32> loc(#loc)
  } loc(#loc)
  func.func private @g(%x: tensor<f32>) -> tensor<f32> attributes {a = #map} {
    return %x : tensor<f32>
  }
} loc(#loc))";
  const TreeModule module = stablehlo::parse(text, "m.mlir");
  EXPECT_EQ(module.name, "jit_f");
  EXPECT_EQ(module.attributes.find("mhlo.num_partitions")->integer, 4);
  ASSERT_EQ(module.functions.size(), 2U);
  EXPECT_EQ(module.functions[0].body.arguments[0].type.shape, (Shape{4, 8}));
  EXPECT_EQ(module.meshes.at(0).mesh.names, (std::vector<std::string>{"x", "y"}));
  EXPECT_TRUE(test::import_main(text).parameters()[0].donate);
}

TEST(StablehloParse, ReadsConstantsInEveryNotation) {
  EXPECT_EQ(constant("dense<0xFF800000> : tensor<f32>"), Array::scalar(-INFINITY));
  EXPECT_EQ(constant("dense<1.5> : tensor<3xf32>"), test::f32({1.5, 1.5, 1.5}));
  EXPECT_EQ(constant("dense<[[1, -2], [3, 4]]> : tensor<2x2xi32>"),
            test::i32({1, -2, 3, 4}, {2, 2}));
  EXPECT_EQ(constant("dense<\"0x0000803F00000040\"> : tensor<2xf32>"), test::f32({1, 2}));
  EXPECT_EQ(constant("dense<[true, false]> : tensor<2xi1>"),
            Array::from(std::span<const bool>(std::array{true, false}), {2}));
  EXPECT_EQ(constant("dense<\"0x05\"> : tensor<4xi1>").at(0), 1);
  EXPECT_EQ(constant("dense<> : tensor<0xf32>"), test::f32({}));
  EXPECT_EQ(constant("dense<18446744073709551615> : tensor<ui64>"),
            Array::scalar(~std::uint64_t{0}));
  EXPECT_EQ(constant("dense<0x7C00> : tensor<f16>").at(0), INFINITY);
  // By a little more or less than half way between two numbers, which no f32 is.
  EXPECT_EQ(constant("dense<1.00048828126> : tensor<f16>").at(0), 1 + 0x1p-10);
  EXPECT_EQ(constant("dense<-1.00048828124> : tensor<f16>").at(0), -1);
  EXPECT_EQ(constant("dense<0x7E> : tensor<f8E4M3FN>").at(0), 448);
  EXPECT_EQ(constant("dense<[1.5, -0.3]> : tensor<2xf8E5M2>").at(1), -0.3125);
  EXPECT_EQ(constant("dense<[1.0e+39, -1.0e+39, 1.0e-60]> : tensor<3xf32>"),
            test::f32({INFINITY, -INFINITY, 0}));
  EXPECT_EQ(constant("dense<-1.0e+400> : tensor<f64>").at(0), -INFINITY);
  EXPECT_EQ(constant("dense<1.0e+9999> : tensor<f64>").at(0), INFINITY);
  EXPECT_EQ(constant("dense<1.0e-9999> : tensor<f64>").at(0), 0);
}

TEST(StablehloParse, NothingStandsBehindAReturn) {
  const std::string text = stablehlo_function("%x: tensor<4xi32>", "tensor<4xi32>", R"(
    %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({ ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %1 = stablehlo.compare LT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"() : () -> ()
      stablehlo.return %1 : tensor<i1> }) : (tensor<4xi32>) -> tensor<4xi32>
    return %0 : tensor<4xi32>)");
  EXPECT_THAT(refusal(text), HasSubstr("behind the region's return"));
}

TEST(StablehloParse, ReadsTheGenericForm) {
  const std::string text = stablehlo_function("%x: tensor<2x3xf32>", "tensor<3x2xf32>", R"(
    %0 = "stablehlo.transpose"(%x) <{permutation = array<i64: 1, 0>}> : (tensor<2x3xf32>) -> tensor<3x2xf32>
    "func.return"(%0) : (tensor<3x2xf32>) -> ())");
  EXPECT_EQ(run_stablehlo(text, {test::f32({1, 2, 3, 4, 5, 6}, {2, 3})})[0],
            test::f32({1, 4, 2, 5, 3, 6}, {3, 2}));
}

TEST(StablehloParse, ReadsDimensionNumbersOfTheGenericForm) {
  const auto of = [](const std::string& numbers) {
    const std::string text = stablehlo_function(
        "%x: tensor<1x3x1xf32>, %w: tensor<2x1x1xf32>", "tensor<1x2x1xf32>",
        R"(
    %0 = "stablehlo.convolution"(%x, %w) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.)" +
            numbers +
            R"(, feature_group_count = 1 : i64}> : (tensor<1x3x1xf32>, tensor<2x1x1xf32>) -> tensor<1x2x1xf32>
    return %0 : tensor<1x2x1xf32>)");
    return run_stablehlo(text, {test::f32({1, 2, 3}, {1, 3, 1}), test::f32({1, 10}, {2, 1, 1})})[0];
  };
  const Array wanted = test::f32({21, 32}, {1, 2, 1});
  EXPECT_EQ(of("conv<[b, 0, f]x[0, i, o]->[b, 0, f]>"), wanted);
  EXPECT_EQ(of("conv<raw input_batch_dimension = 0, input_feature_dimension = 2, "
               "input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, "
               "kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], "
               "output_batch_dimension = 0, output_feature_dimension = 2, "
               "output_spatial_dimensions = [1]>"),
            wanted);
}

TEST(StablehloParse, NodesKnowTheirLines) {
  const Graph graph = test::import_main(
      stablehlo_function("%x: tensor<f32>", "tensor<f32>",
                         "    %0 = stablehlo.sine %x : tensor<f32>\n    return %0 : tensor<f32>"));
  EXPECT_EQ(graph.node(graph.producer(graph.results()[0])).location.text(), "m.mlir:3");
}

TEST(StablehloParse, SaysWhereATextIsWrong) {
  const auto of = [](const std::string& line) {
    return refusal(stablehlo_function("%x: tensor<2xf32>", "tensor<2xf32>", line));
  };
  EXPECT_EQ(of("    %0 = stablehlo.sinus %x : tensor<2xf32>\n    return %0 : tensor<2xf32>"),
            "m.mlir:3:10: stablehlo.sinus is not supported; did you mean 'stablehlo.sine'?; "
            "docs/stablehlo.md lists what is\n    %0 = stablehlo.sinus %x : tensor<2xf32>\n"
            "         ^");
  EXPECT_THAT(of("return %y : tensor<2xf32>"), HasSubstr("%y is not defined above"));
  EXPECT_THAT(of("%0 = stablehlo.sine %x : tensor<3xf32>\nreturn %0 : tensor<3xf32>"),
              HasSubstr("stablehlo.sine gives f32[2], but f32[3] is written"));
  EXPECT_THAT(of("%0, %1 = stablehlo.sine %x : tensor<2xf32>"), HasSubstr("are named"));
  EXPECT_THAT(of("%0 = stablehlo.add %x, %x : tensor<2xf4E2M1FN>"), HasSubstr("no dtype that"));
  EXPECT_THAT(of("%0 = stablehlo.complex %x, %x : tensor<2xcomplex<f32>>"),
              HasSubstr("m.mlir:3:40: complex numbers are not supported"));
  EXPECT_THAT(of("%0 = stablehlo.add %x, %x : tensor<?xf32>"), HasSubstr("fixed shapes"));
  EXPECT_THAT(of("%0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<3xf32>"),
              HasSubstr("2 elements for f32[3]"));
  for (const std::string elements : {"[[1, 2], [3, 4]]", "[1, [2], 3, 4]", "[[1], 2, 3, 4]"}) {
    EXPECT_THAT(of("%0 = stablehlo.constant dense<" + elements + "> : tensor<4xi32>"),
                HasSubstr("not in lists as i32[4] has them"));
  }
  EXPECT_THAT(of("%0 = stablehlo.constant dense_resource<__elided__> : tensor<3xf32>"),
              HasSubstr("left out of the text"));
  EXPECT_THAT(of("%0 = stablehlo.sine %x"), HasSubstr("0 result types, but 1 result is named"));
  EXPECT_THAT(of("%x = stablehlo.sine %x : tensor<2xf32>"), HasSubstr("%x is defined twice"));
  EXPECT_THAT(
      of("%0 = stablehlo.custom_call @lapack_sgetrf(%x) : (tensor<2xf32>) -> tensor<2xf32>"),
      HasSubstr("of LAPACK's, potrf, getrf, geqrf, orgqr and trsm are"));
  EXPECT_THAT(of("%0 = stablehlo.dynamic_reshape %x : tensor<2xf32>"),
              HasSubstr("known only when the program runs"));
  EXPECT_THAT(refusal("module {"), HasSubstr("expected 'func.func'"));
  EXPECT_THAT(refusal(""), HasSubstr("no function"));
}

TEST(StablehloParse, TypesThatAreWrittenAreThoseOfTheValues) {
  const auto of = [](const std::string& result, const std::string& body) {
    return refusal(stablehlo_function("%x: tensor<2xf32>, %y: tensor<1xf32>", result, body));
  };
  EXPECT_THAT(of("tensor<4xf32>", "return %x : tensor<2xf32>"),
              HasSubstr("@main returns f32[2], but f32[4] is written"));
  EXPECT_THAT(of("tensor<2xf32>, tensor<2xf32>", "return %x : tensor<2xf32>"),
              HasSubstr("@main returns 1 values, but 2 are written"));
  EXPECT_THAT(of("tensor<2xf32>",
                 "%0 = stablehlo.add %x, %y : tensor<2xf32>\n"
                 "return %0 : tensor<2xf32>"),
              HasSubstr("operands of shapes [2] and [1]"));
  const std::string callee =
      "func.func private @f(%a: tensor<2xf32>) -> tensor<1xf32> {\nreturn %a : tensor<2xf32>\n}\n";
  EXPECT_THAT(refusal(callee + "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n%0 = call "
                               "@f(%x) : (tensor<2xf32>) -> tensor<2xf32>\nreturn %0 : "
                               "tensor<2xf32>\n}\n"),
              HasSubstr("@f returns f32[2], but f32[1] is written"));
  EXPECT_THAT(refusal(callee + "func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> {\n%0 = call "
                               "@f(%x) : (tensor<1xf32>) -> tensor<1xf32>\nreturn %0 : "
                               "tensor<1xf32>\n}\n"),
              HasSubstr("@f is given f32[1], but f32[2] is written"));
  // Scalars that choose or bound.
  EXPECT_EQ(refusal(stablehlo_function("%p: tensor<i1>, %a: tensor<f32>, %x: tensor<2xf32>",
                                       "tensor<2xf32>", R"(
    %0 = stablehlo.select %p, %x, %x : tensor<i1>, tensor<2xf32>
    %1 = stablehlo.clamp %a, %0, %a : (tensor<f32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
    return %1 : tensor<2xf32>)")),
            "");
}

// Texts that nobody means: each is refused or read in time and memory linear in its size.
TEST(StablehloParse, SurvivesHostileTexts) {
  const std::string brackets(100'000, '[');
  EXPECT_THAT(refusal("module attributes {a = " + brackets), HasSubstr("levels of nesting"));
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "\"stablehlo.case\"(%x) ({\n";
  EXPECT_THAT(refusal(stablehlo_function("%x: tensor<i32>", "", deep)), HasSubstr("nesting"));
  EXPECT_THAT(refusal("module { func.func @main("), HasSubstr("expected an argument"));
  EXPECT_THAT(refusal("module @\"m"), HasSubstr("without its closing"));
  EXPECT_THAT(refusal("#a = [1, 2"), HasSubstr("without its"));
  EXPECT_THAT(refusal(stablehlo_function("%x: tensor<99999999999x99999999999xf32>", "", "return")),
              StartsWith("m.mlir:2:"));
  EXPECT_THAT(refusal(stablehlo_function("%x: tensor<1x1x1x1x1x1x1x1x1xf32>", "", "return")),
              StartsWith("m.mlir:2:"));
  // Aliases of aliases would be 2^40 long.
  std::string aliases = "#a0 = [1, 1]\n";
  for (int i = 1; i < 40; ++i) {
    const std::string before = "#a" + std::to_string(i - 1);
    aliases += "#a" + std::to_string(i) + " = [" + before + ", " + before + "]\n";
  }
  EXPECT_THAT(refusal(aliases), HasSubstr("too much text"));
  // These are long themselves.
  std::string copies = "#a = \"" + std::string(1 << 16, 'x') + "\"\n#b = [#a";
  for (int i = 0; i < 1100; ++i) copies += ", #a";
  EXPECT_THAT(refusal(copies + "]\n"), HasSubstr("too much text"));
  // So would tuples of tuples.
  std::string tuples = "    %t0 = stablehlo.tuple %x, %x : tuple<>\n";
  for (int i = 1; i < 60; ++i) {
    const std::string before = "%t" + std::to_string(i - 1);
    tuples += "    %t" + std::to_string(i) + " = stablehlo.tuple " + before + ", " + before +
              " : tuple<>\n";
  }
  const auto with_tuples = [](const std::string& text) {
    return refusal(
        stablehlo_function("%x: tensor<f32>", "tensor<f32>", text + "    return %x : tensor<f32>"));
  };
  EXPECT_EQ(with_tuples(tuples), "");
  for (int i = 60; i < 70; ++i) {
    tuples += "    %t" + std::to_string(i) + " = stablehlo.tuple %t" + std::to_string(i - 1) +
              " : tuple<>\n";
  }
  EXPECT_THAT(with_tuples(tuples), HasSubstr("tuples within tuples"));
  // So would functions that call the one before them twice.
  std::string calls = "func.func @f0(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }\n";
  for (int i = 1; i < 60; ++i) {
    const std::string before = "@f" + std::to_string(i - 1);
    calls += "func.func @" + std::string(i == 59 ? "main" : "f" + std::to_string(i)) +
             "(%x: tensor<f32>) -> tensor<f32> {\n  %0 = call " + before +
             "(%x) : (tensor<f32>) -> tensor<f32>\n  %1 = call " + before +
             "(%0) : (tensor<f32>) -> tensor<f32>\n  return %1 : tensor<f32>\n}\n";
  }
  EXPECT_THAT(refusal(calls), HasSubstr("operations, with functions put in"));
  EXPECT_THAT(refusal("func.func @main(%x: tensor<f32>) -> tensor<f32> {\n  %0 = call @main(%x) : "
                      "(tensor<f32>) -> tensor<f32>\n  return %0 : tensor<f32>\n}"),
              HasSubstr("@main calls itself"));
}

// Also where their product is 1.
TEST(StablehloParse, RefusesGroupsOfConvolutionsBelowOne) {
  EXPECT_THAT(
      refusal(stablehlo_function(
          "%x: tensor<2x3x4xf32>, %w: tensor<1x4x5xf32>", "tensor<2x3x5xf32>",
          "%0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], "
          "window = {} {batch_group_count = -1 : i64, feature_group_count = -1 : i64} : "
          "(tensor<2x3x4xf32>, tensor<1x4x5xf32>) -> tensor<2x3x5xf32>\n"
          "return %0 : tensor<2x3x5xf32>")),
      HasSubstr("a number of groups that makes no sense"));
}

}  // namespace
}  // namespace tutti::ir::stablehlo_parse_test
