#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "tests/ir/stablehlo/testing.h"
#include <gmock/gmock.h>

// Operations that combine, move, order and choose elements.
namespace tutti::ir::stablehlo_structure_test {
namespace {

using test::f32;
using test::has;
using test::i32;
using test::refusal;
using test::run_one;
using test::run_stablehlo;
using test::stablehlo_function;
using testing::HasSubstr;

TEST(StablehloReduce, AnyRegionIsTakenPairwiseInOrder) {
  // Concatenation of digits: associative, and not commutative.
  const std::string body = R"(
    %one = stablehlo.constant dense<1> : tensor<i32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %ones = stablehlo.broadcast_in_dim %one, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %0:2 = stablehlo.reduce(%x init: %zero), (%y init: %one) across dimensions = [0] : (tensor<5xi32>, tensor<5xi32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
     reducer(%a: tensor<i32>, %c: tensor<i32>) (%b: tensor<i32>, %d: tensor<i32>)  {
      %1 = stablehlo.multiply %a, %d : tensor<i32>
      %2 = stablehlo.add %1, %c : tensor<i32>
      %3 = stablehlo.multiply %b, %d : tensor<i32>
      stablehlo.return %2, %3 : tensor<i32>, tensor<i32>
    }
    return %0#0 : tensor<i32>)";
  EXPECT_EQ(run_one("%x: tensor<5xi32>, %y: tensor<5xi32>", "tensor<i32>", body,
                    {i32({1, 2, 3, 4, 5}), i32({10, 10, 10, 10, 10})}),
            Array::scalar(std::int32_t{12345}));
}

TEST(StablehloReduce, InitialValuesThatChangeTheResultCount) {
  const std::string body = R"(
    %0 = stablehlo.reduce(%x init: %y) applies stablehlo.maximum across dimensions = [1] : (tensor<2x0xf32>, tensor<f32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>)";
  EXPECT_EQ(run_one("%x: tensor<2x0xf32>, %y: tensor<f32>", "tensor<2xf32>", body,
                    {f32({}, {2, 0}), Array::scalar(7.0F)}),
            f32({7, 7}));
}

TEST(StablehloWindow, LongWindowsWithDilationsAndNegativePadding) {
  const std::string body = R"(
    %c = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = "stablehlo.reduce_window"(%x, %c) <{base_dilations = array<i64: 2>, padding = dense<[[3, -1]]> : tensor<1x2xi64>, window_dilations = array<i64: 2>, window_dimensions = array<i64: 11>, window_strides = array<i64: 3>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<20xf32>, tensor<f32>) -> tensor<7xf32>
    return %0 : tensor<7xf32>)";
  std::vector<float> x;
  std::vector<float> padded(3, 0.0F);
  for (int i = 0; i < 20; ++i) {
    x.push_back(static_cast<float>(i * i % 7));
    if (i != 0) padded.push_back(0);
    padded.push_back(x.back());
  }
  padded.pop_back();
  std::vector<float> wanted;
  for (std::size_t at = 0; at + 20 < padded.size(); at += 3) {
    float sum = 0;
    for (std::size_t k = 0; k < 11; ++k) sum += padded[at + 2 * k];
    wanted.push_back(sum);
  }
  ASSERT_EQ(wanted.size(), 7U);
  EXPECT_EQ(run_one("%x: tensor<20xf32>", "tensor<7xf32>", body, {f32(x)}), f32(wanted));
}

// As JAX exports them: where a window fits nowhere there is nothing to compute.
TEST(StablehloConvolution, IsEmptyWhereTheWindowFitsNowhere) {
  const auto run = [](const std::string& window, const std::string& result) {
    return run_one(
        "%x: tensor<3x7x1x2xf32>, %w: tensor<3x2x3x1xf32>", result,
        R"(
    %0 = stablehlo.convolution(%x, %w) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {)" +
            window +
            R"(} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<3x7x1x2xf32>, tensor<3x2x3x1xf32>) -> )" +
            result + "\n    return %0 : " + result,
        {f32(std::vector<float>(42, 1.0F), {3, 7, 1, 2}),
         f32(std::vector<float>(18, 1.0F), {3, 2, 3, 1})});
  };
  EXPECT_EQ(
      run("stride = [2, 1], pad = [[2, -1], [-1, 2]], lhs_dilate = [1, 2]", "tensor<4x0x2x1xf32>"),
      f32({}, {4, 0, 2, 1}));
  // More is taken away than there is.
  EXPECT_EQ(run("stride = [2, 1], pad = [[2, -1], [-1, -2]]", "tensor<4x0x2x1xf32>"),
            f32({}, {4, 0, 2, 1}));
  // One place more, and it is not.
  EXPECT_EQ(run("stride = [2, 1], pad = [[2, -1], [-1, 3]]", "tensor<4x1x2x1xf32>"),
            f32(std::vector<float>(8, 0.0F), {4, 1, 2, 1}));
}

// The window of all elements up to each one.
std::string running(const std::string& combine, const std::string& start) {
  return stablehlo_function("%x: tensor<4xf32>", "tensor<4xf32>", R"(
    %c = stablehlo.constant dense<)" + start + R"(> : tensor<f32>
    %0 = "stablehlo.reduce_window"(%x, %c) <{padding = dense<[[3, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 4>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.)" + combine + R"( %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>)");
}

TEST(StablehloWindow, RunningReductionsAreOneOp) {
  const auto expect = [](const std::string& text, Op op, const std::vector<float>& result) {
    EXPECT_TRUE(has(test::import_main(text), op));
    EXPECT_EQ(run_stablehlo(text, {f32({1, 3, 2, 4})})[0], f32(result));
  };
  expect(running("add", "0.0"), Op::cumsum, {1, 4, 6, 10});
  expect(running("multiply", "1.0"), Op::cumprod, {1, 3, 6, 24});
  expect(running("maximum", "0xFF800000"), Op::cummax, {1, 3, 3, 4});
  expect(running("minimum", "0x7F800000"), Op::cummin, {1, 1, 1, 1});
  EXPECT_FALSE(has(test::import_main(running("multiply", "2.0")), Op::cumprod));
}

std::string select_and_scatter(const std::string& direction, const std::string& sizes) {
  return R"(
    %c = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = "stablehlo.select_and_scatter"(%x, %s, %c) <{)" +
         sizes + R"(}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.compare )" +
         direction + R"(, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }, {
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<6xf32>, tensor<3xf32>, tensor<f32>) -> tensor<6xf32>
    return %0 : tensor<6xf32>)";
}

TEST(StablehloSelectAndScatter, ChoosesAnElementOfEachWindow) {
  const auto of = [](const std::string& direction, const std::string& sizes, std::vector<float> x) {
    return run_one("%x: tensor<6xf32>, %s: tensor<3xf32>", "tensor<6xf32>",
                   select_and_scatter(direction, sizes), {f32(std::move(x)), f32({10, 20, 30})});
  };
  // Windows side by side, that overlap, and with padding, which wins nothing.
  EXPECT_EQ(of("GE", "window_dimensions = array<i64: 2>, window_strides = array<i64: 2>",
               {3, 1, 2, 5, 4, 4}),
            f32({10, 0, 0, 20, 30, 0}));
  EXPECT_EQ(of("GE",
               "window_dimensions = array<i64: 3>, window_strides = array<i64: 2>, padding = "
               "dense<[[0, 1]]> : tensor<1x2xi64>",
               {3, 1, 7, 5, 4, 4}),
            f32({0, 0, 30, 0, 30, 0}));
  EXPECT_EQ(of("LE",
               "window_dimensions = array<i64: 3>, window_strides = array<i64: 2>, padding = "
               "dense<[[1, 0]]> : tensor<1x2xi64>",
               {3, 1, 2, 5, 4, 4}),
            f32({0, 30, 0, 0, 30, 0}));
}

TEST(StablehloGather, MovesWindowsInside) {
  const std::string body = R"(
    %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 2>}> : (tensor<4xf32>, tensor<3x1xui8>) -> tensor<3x2xf32>
    return %0 : tensor<3x2xf32>)";
  const std::array<std::uint8_t, 3> indices = {0, 200, 2};
  EXPECT_EQ(
      run_one("%x: tensor<4xf32>, %i: tensor<3x1xui8>", "tensor<3x2xf32>", body,
              {f32({1, 2, 3, 4}), Array::from(std::span<const std::uint8_t>(indices), {3, 1})}),
      f32({1, 2, 3, 4, 3, 4}, {3, 2}));
}

std::string sort(const std::string& comparator) {
  return R"(
    %0:2 = "stablehlo.sort"(%x, %y) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<f32>):
)" + comparator +
         R"(
    }) : (tensor<4xi32>, tensor<4xf32>) -> (tensor<4xi32>, tensor<4xf32>)
    return %0#1 : tensor<4xf32>)";
}

TEST(StablehloSort, ByOneKeyOrSeveralUpwardsOrDownwards) {
  const std::string arguments = "%x: tensor<4xi32>, %y: tensor<4xf32>";
  const std::vector<Array> values = {i32({2, 1, 2, 1}), f32({5, 6, 7, 8})};
  const auto of = [&](const std::string& comparator) {
    return run_one(arguments, "tensor<4xf32>", sort(comparator), values);
  };
  const std::string compare_x =
      "stablehlo.compare LT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) "
      "-> tensor<i1>\n";
  EXPECT_EQ(of("%1 = " + compare_x + "stablehlo.return %1 : tensor<i1>"), f32({6, 8, 5, 7}));
  EXPECT_EQ(of("%1 = stablehlo.compare GT, %c, %d, TOTALORDER : (tensor<f32>, tensor<f32>) -> "
               "tensor<i1>\nstablehlo.return %1 : tensor<i1>"),
            f32({8, 7, 6, 5}));
  EXPECT_EQ(of("%1 = " + compare_x +
               "%2 = stablehlo.compare EQ, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> "
               "tensor<i1>\n%3 = stablehlo.compare LT, %d, %c, FLOAT : (tensor<f32>, tensor<f32>) "
               "-> tensor<i1>\n%4 = stablehlo.and %2, %3 : tensor<i1>\n%5 = stablehlo.or %1, %4 : "
               "tensor<i1>\nstablehlo.return %5 : tensor<i1>"),
            f32({8, 6, 7, 5}));
  EXPECT_EQ(of("%1 = stablehlo.negate %a : tensor<i32>\n%2 = stablehlo.negate %b : tensor<i32>\n"
               "%3 = stablehlo.compare LT, %1, %2, SIGNED : (tensor<i32>, tensor<i32>) -> "
               "tensor<i1>\nstablehlo.return %3 : tensor<i1>"),
            f32({5, 7, 6, 8}));
}

TEST(StablehloSort, ByAnyComparator) {
  // By x + y along the first axis; of equal ones the earlier comes first.
  const auto text = [](const std::string& type) {
    return stablehlo_function("%x: " + type + ", %y: " + type, type + ", " + type,
                              R"(
    %0:2 = "stablehlo.sort"(%x, %y) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
      %1 = stablehlo.add %a, %c : tensor<i32>
      %2 = stablehlo.add %b, %d : tensor<i32>
      %3 = stablehlo.compare LT, %1, %2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    }) : ()" + type + ", " + type +
                                  ") -> (" + type + ", " + type + R"()
    return %0#0, %0#1 : )" + type +
                                  ", " + type);
  };
  const std::vector<Array> out =
      run_stablehlo(text("tensor<4x2xi32>"),
                    {i32({5, 1, 2, 9, 1, 1, 0, 3}, {4, 2}), i32({0, 0, 0, 1, 1, 1, 1, 3}, {4, 2})});
  EXPECT_EQ(out[0], i32({0, 1, 2, 1, 1, 3, 5, 9}, {4, 2}));
  EXPECT_EQ(out[1], i32({1, 0, 0, 1, 1, 3, 0, 1}, {4, 2}));
  EXPECT_THAT(refusal(text("tensor<100000xi32>")), HasSubstr("for few elements only"));
}

TEST(StablehloControl, LoopsCarryWhatChangesOnly) {
  const std::string text =
      stablehlo_function("%n: tensor<i32>, %x: tensor<2xf32>", "tensor<2xf32>", R"(
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:3 = stablehlo.while(%i = %c, %y = %x, %z = %x) : tensor<i32>, tensor<2xf32>, tensor<2xf32>
    cond {
      %1 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %c1 = stablehlo.constant dense<1> : tensor<i32>
      %1 = stablehlo.add %i, %c1 : tensor<i32>
      %2 = stablehlo.add %y, %z : tensor<2xf32>
      stablehlo.return %1, %2, %z : tensor<i32>, tensor<2xf32>, tensor<2xf32>
    }
    return %0#1 : tensor<2xf32>)");
  const Graph graph = test::import_main(text);
  ASSERT_TRUE(has(graph, Op::while_loop));
  for (NodeId id = 0; id < graph.node_count(); ++id) {
    if (graph.node(id).op != Op::while_loop) continue;
    EXPECT_EQ(graph.attributes(id).integer("carries"), 2);
    EXPECT_EQ(graph.node(id).operand_count, 4U);  // and %z and %n
  }
  EXPECT_EQ(run_stablehlo(text, {Array::scalar(std::int32_t{3}), f32({1, 2})})[0], f32({4, 8}));
}

TEST(StablehloControl, BranchesUseWhatIsAround) {
  const std::string body = R"(
    %0 = "stablehlo.if"(%p) ({
      %1 = stablehlo.add %x, %x : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }, {
      stablehlo.return %x : tensor<f32>
    }) : (tensor<i1>) -> tensor<f32>
    return %0 : tensor<f32>)";
  for (const bool truth : {true, false}) {
    EXPECT_EQ(run_one("%p: tensor<i1>, %x: tensor<f32>", "tensor<f32>", body,
                      {Array::scalar(truth), Array::scalar(3.0F)}),
              Array::scalar(truth ? 6.0F : 3.0F));
  }
}

TEST(StablehloShape, TuplesAreOnlyNames) {
  const std::string body = R"(
    %0 = stablehlo.tuple %x, %y : tuple<tensor<f32>, tensor<f32>>
    %1 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<f32>, tensor<f32>>) -> tensor<f32>
    return %1 : tensor<f32>)";
  EXPECT_EQ(run_one("%x: tensor<f32>, %y: tensor<f32>", "tensor<f32>", body,
                    {Array::scalar(1.0F), Array::scalar(2.0F)}),
            Array::scalar(2.0F));
}

TEST(StablehloTopK, IsInTheTotalOrderOfFloats) {
  const std::string body = R"(
    %0, %1 = chlo.top_k(%x, k = 3) : tensor<5xf32> -> (tensor<3xf32>, tensor<3xi32>)
    return %0, %1 : tensor<3xf32>, tensor<3xi32>)";
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto of = [&](std::vector<float> x) {
    return run_stablehlo(
        stablehlo_function("%x: tensor<5xf32>", "tensor<3xf32>, tensor<3xi32>", body),
        {f32(std::move(x))})[1];
  };
  EXPECT_EQ(of({-0.0F, 0, -1, 0, -0.0F}), i32({1, 3, 0}));
  EXPECT_EQ(of({1, -nan, 3, nan, 2}), i32({3, 2, 4}));
  const std::string smallest = R"(
    %0:2 = stablehlo.custom_call @mhlo.topk(%x) {mhlo.attributes = {k = 2 : i64, largest = false}, mhlo.version = 1 : i64} : (tensor<3xf32>) -> (tensor<2xf32>, tensor<2xi32>)
    return %0#0 : tensor<2xf32>)";
  EXPECT_EQ(run_one("%x: tensor<3xf32>", "tensor<2xf32>", smallest, {f32({3, 1, 2})}), f32({1, 2}));
}

TEST(StablehloSort, OfTruthsByWhatIsComputedOfThem) {
  const std::string body = R"(
    %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
    ^bb0(%a: tensor<i1>, %b: tensor<i1>):
      %1 = stablehlo.not %a : tensor<i1>
      %2 = stablehlo.not %b : tensor<i1>
      %3 = stablehlo.compare LT, %1, %2, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    }) : (tensor<3xi1>) -> tensor<3xi1>
    %4 = stablehlo.convert %0 : (tensor<3xi1>) -> tensor<3xi32>
    return %4 : tensor<3xi32>)";
  const bool truths[] = {false, true, false};
  EXPECT_EQ(run_one("%x: tensor<3xi1>", "tensor<3xi32>", body,
                    {Array::from(std::span<const bool>(truths), Shape{3})}),
            i32({1, 0, 0}));
}

TEST(StablehloSort, RefusesComparisonsWithoutOperands) {
  EXPECT_NE(refusal(stablehlo_function("%x: tensor<4xf32>", "tensor<4xf32>", R"(
    %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %l = "stablehlo.compare"() <{comparison_direction = #stablehlo<comparison_direction LT>}> : () -> tensor<i1>
      %e = "stablehlo.compare"(%a, %b) <{comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %n = stablehlo.and %e, %e : tensor<i1>
      %o = stablehlo.or %l, %n : tensor<i1>
      stablehlo.return %o : tensor<i1>
    }) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>)")),
            "");
}

TEST(StablehloDotGeneral, OfIntegersWithFloatsKeepsWhatIsBehindThePoint) {
  const std::string body = R"(
    %0 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<2xi64>, tensor<2xf32>) -> tensor<f32>
    return %0 : tensor<f32>)";
  const std::int64_t ones[] = {1, 1};
  EXPECT_EQ(
      run_one("%x: tensor<2xi64>, %y: tensor<2xf32>", "tensor<f32>", body,
              {Array::from(std::span<const std::int64_t>(ones), Shape{2}), f32({0.5F, 0.5F})}),
      Array::scalar(1.0F));
}

// JAX may say within regions, too, how a value is sharded.
TEST(StablehloRegion, MaySayHowItsValuesAreSharded) {
  const auto sharded = [](const std::string& result, const std::string& of) {
    return result + " = sdy.sharding_constraint " + of + " <@mesh, []> : tensor<i32>\n";
  };
  const std::string reduce = R"(
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.reduce(%x init: %zero) across dimensions = [0] : (tensor<3xi32>, tensor<i32>) -> tensor<i32>
     reducer(%a: tensor<i32>, %b: tensor<i32>)  {
)" + sharded("%1", "%a") + "%2 = stablehlo.add %b, %1 : tensor<i32>\n" +
                             sharded("%3", "%2") + R"(
      stablehlo.return %3 : tensor<i32>
    }
    return %0 : tensor<i32>)";
  EXPECT_TRUE(has(test::import_main(stablehlo_function("%x: tensor<3xi32>", "tensor<i32>", reduce)),
                  Op::sum));
  EXPECT_EQ(run_one("%x: tensor<4xi32>, %y: tensor<4xf32>", "tensor<4xf32>",
                    sort(sharded("%1", "%a") +
                         "%2 = stablehlo.negate %1 : tensor<i32>\n%3 = stablehlo.negate %b : "
                         "tensor<i32>\n%4 = stablehlo.compare LT, %2, %3, SIGNED : (tensor<i32>, "
                         "tensor<i32>) -> tensor<i1>\nstablehlo.return %4 : tensor<i1>"),
                    {i32({2, 1, 2, 1}), f32({5, 6, 7, 8})}),
            f32({5, 7, 6, 8}));
}

// As many levels as make the text's own limits do not help.
TEST(StablehloIf, IsNotNestedWithoutEnd) {
  std::string functions;
  constexpr int kFunctions = 80;
  for (int i = 0; i <= kFunctions; ++i) {
    const std::string name = i == 0 ? "public @main" : "private @f" + std::to_string(i);
    functions += "func.func " + name + "(%p: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {\n";
    constexpr int kLevels = 50;
    std::string inner = i == kFunctions
                            ? "stablehlo.return %x : tensor<f32>"
                            : "%c = func.call @f" + std::to_string(i + 1) +
                                  "(%p, %x) : (tensor<i1>, tensor<f32>) -> tensor<f32>\n"
                                  "stablehlo.return %c : tensor<f32>";
    for (int level = 0; level < kLevels; ++level) {
      const std::string value = "%v" + std::to_string(level);
      inner = value + " = \"stablehlo.if\"(%p) ({\n" + inner +
              "\n}, {\nstablehlo.return %x : tensor<f32>\n}) : (tensor<i1>) -> tensor<f32>\n" +
              "stablehlo.return " + value + " : tensor<f32>";
    }
    const std::size_t last = inner.rfind("stablehlo.return");
    functions += inner.substr(0, last) + inner.substr(last + 10) + "\n}\n";
  }
  EXPECT_THAT(refusal("module {\n" + functions + "}\n"), HasSubstr("deep"));
}

}  // namespace
}  // namespace tutti::ir::stablehlo_structure_test
