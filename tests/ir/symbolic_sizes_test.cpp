#include <tutti/ir/interpret/interpret.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/sizes/complete_sizes.h>
#include <tutti/ir/sizes/merge_samples.h>
#include <tutti/ir/support/error.h>
#include <tutti/ir/symbolic_sizes.h>
#include <tutti/ir/verify/verify.h>

#include <string>
#include <vector>

#include <gmock/gmock.h>

namespace tutti::ir::symbolic_sizes_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Graph program(const std::string& text) { return std::move(parse(text).functions.back()); }

constexpr const char* kJoin = R"(func @f(%x: f32[n<=64,3], %y: f32[2<=m<=8,3]) {
  %0 = concat(%x, %y) {axis = 0}
  %1 = sum(%0) {axes = [1]}
  return %0, %1
}
)";

template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(SymbolicSizes, FollowFromTheOperands) {
  const Graph graph = program(kJoin);
  ASSERT_NE(graph.sizes, nullptr);
  EXPECT_EQ(symbolic_text(graph, graph.results()[0]), "f32[m+n,3]");
  EXPECT_EQ(symbolic_text(graph, graph.results()[1]), "f32[m+n]");
  EXPECT_EQ(graph.type(graph.results()[0]).shape, (Shape{72, 3}));
  verify(graph);
}

TEST(SymbolicSizes, AnInstanceIsAnOrdinaryProgram) {
  const Graph graph = program(kJoin);
  const Graph one = instance(graph, std::vector<std::int64_t>{5, 2});  // m, n
  EXPECT_EQ(one.sizes, nullptr);
  EXPECT_EQ(one.type(one.results()[0]).shape, (Shape{7, 3}));
  verify(one);
}

TEST(SymbolicSizes, FollowFromTheArguments) {
  const Graph graph = program(kJoin);
  const auto solve = [&](const Shape& x, const Shape& y) {
    return solve_sizes(graph, std::vector<Shape>{x, y});
  };
  EXPECT_THAT(solve({7, 3}, {4, 3}), ElementsAre(4, 7));
  EXPECT_THAT(
      error_of([&] { solve({65, 3}, {4, 3}); }),
      HasSubstr("dimension 0 of argument %x has size 65, so that n is 65; the program takes "
                "1 <= n <= 64"));
  EXPECT_THAT(error_of([&] { solve({7, 3}, {1, 3}); }), HasSubstr("2 <= m <= 8"));
  EXPECT_THAT(error_of([&] { solve({7}, {4, 3}); }), HasSubstr("f32[n,3], not of shape [7]"));
  EXPECT_THAT(error_of([&] { solve_sizes(graph, std::vector<Shape>{{7, 3}}); }),
              HasSubstr("takes 2 arguments, not 1"));
}

TEST(SymbolicSizes, OfOneNameAreOneSize) {
  const Graph graph = program("func @f(%x: f32[2*(n<=8)], %y: f32[n+1]) {\n  return %x\n}\n");
  const auto solve = [&](std::int64_t x, std::int64_t y) {
    return solve_sizes(graph, std::vector<Shape>{{x}, {y}});
  };
  EXPECT_THAT(solve(6, 4), ElementsAre(3));
  EXPECT_THAT(error_of([&] { solve(7, 4); }), HasSubstr("has size 7, which is not 2*n for any n"));
  EXPECT_THAT(error_of([&] { solve(6, 5); }),
              HasSubstr("dimension 0 of argument %y has size 5, but n+1 is 4; n = 3 by dimension 0 "
                        "of argument %x"));
}

TEST(SymbolicSizes, ThatNoArgumentHasAreAnError) {
  const Graph graph =
      program("func @f(%x: f32[]) {\n  %0 = broadcast_to(%x) {shape = [n<=4]}\n  return %0\n}\n");
  EXPECT_THAT(error_of([&] { solve_sizes(graph, std::vector<Shape>{{}}); }),
              HasSubstr("the size n of @f does not follow from the arguments' shapes"));
}

TEST(SymbolicSizes, InterpretersRunTheInstanceOfTheArguments) {
  const Graph graph =
      program("func @f(%x: f32[n<=64]) {\n  %0 = mean(%x) {axes = [0]}\n  return %0\n}\n");
  const std::vector<float> values = {1, 2, 6};
  const std::vector<Array> results = interpret(graph, {Array::from<float>(std::span(values), {3})});
  EXPECT_EQ(results[0].at(0), 3);
}

Sample sample(std::int64_t n, const std::string& text) { return {{n}, program(text)}; }

TEST(SymbolicSizes, SamplesBecomeOneProgram) {
  const std::vector<SizeSymbol> symbols = {{.name = "n", .least = 1, .most = 8}};
  const auto text = [](std::int64_t n) {
    const std::string size = std::to_string(n);
    return "func @f(%x: f32[" + size + "]) {\n  %0 = constant() {value = f32[] " + size +
           "}\n  %1 = div(%x, %0)\n  %2 = reshape(%1) {shape = [" + size +
           ", 1]}\n  return %2\n}\n";
  };
  const std::vector<Sample> samples = {sample(8, text(8)), sample(7, text(7)), sample(3, text(3))};
  const Graph graph = merge_samples(symbols, samples);
  EXPECT_THAT(print(graph), HasSubstr("%0 = size() {value = n, dtype = f32} : f32[]"));
  EXPECT_THAT(print(graph), HasSubstr("%2 = reshape(%1) {shape = [n, 1]} : f32[n,1]"));
  verify(graph);
}

TEST(SymbolicSizes, SamplesThatDifferOtherwiseAreAnError) {
  const std::vector<SizeSymbol> symbols = {{.name = "n", .least = 1, .most = 8}};
  const auto merge = [&](const std::string& a, const std::string& b, const std::string& c) {
    const auto text = [](const std::string& size, const std::string& op) {
      return "func @f(%x: f32[" + size + "]) {\n  %0 = " + op + "\n  return %0\n}\n";
    };
    const std::vector<Sample> samples = {sample(8, text("8", a)), sample(7, text("7", b)),
                                         sample(4, text("4", c))};
    return error_of([&] { merge_samples(symbols, samples); });
  };
  EXPECT_EQ(merge("exp(%x)", "exp(%x)", "exp(%x)"), "no error");
  EXPECT_THAT(
      merge("exp(%x)", "tanh(%x)", "exp(%x)"),
      testing::AllOf(HasSubstr("differs for other sizes in more than numbers"),
                     HasSubstr("for n = 8: %0 = exp(%x)"), HasSubstr("for n = 7: %0 = tanh(%x)")));
  EXPECT_THAT(merge("sum(%x) {axes = [0]}", "sum(%x) {axes = [0], keepdims = true}",
                    "sum(%x) {axes = [0]}"),
              HasSubstr("differs"));
  EXPECT_THAT(
      merge("slice(%x) {start = [0], stop = [4], step = [1]}",
            "slice(%x) {start = [0], stop = [3], step = [1]}",
            "slice(%x) {start = [0], stop = [2], step = [1]}"),
      HasSubstr("is not a sum of products of the symbols for all their values: 2, not n-4"));
  EXPECT_THAT(merge("mul(%x, %x)", "mul(%x, %x)", "mul(%x, %x)"), "no error");
}

TEST(SymbolicSizes, LowerBoundsAreRaisedToWhereTheProgramExists) {
  const std::vector<SizeSymbol> symbols = {{.name = "n", .least = 1, .most = 100}};
  const auto text = [](std::int64_t n) {
    return "func @f(%x: f32[" + std::to_string(n) +
           "]) {\n  %0 = slice(%x) {start = [0], stop = [37], step = [1]}\n  return %0\n}\n";
  };
  const std::vector<Sample> samples = {sample(100, text(100)), sample(99, text(99))};
  Graph graph = merge_samples(symbols, samples);
  const std::vector<std::string> reasons = raise_lower_bounds(graph);
  EXPECT_EQ(graph.sizes->symbols[0].least, 37);
  ASSERT_EQ(reasons.size(), 1U);
  EXPECT_THAT(reasons[0], HasSubstr("37 <= n: for n = 36: slice: "));
  EXPECT_THAT(raise_lower_bounds(graph), testing::IsEmpty());
}

TEST(SymbolicSizes, ThatAreNoSumOfProductsAreAnErrorWhereverThatShows) {
  EXPECT_THAT(error_of([] {
                program(R"(func @f(%x: f32[n<=64,m<=8]) {
  %0 = reshape(%x) {shape = [n*m]}
  %1 = slice(%0) {start = [0], stop = [n*m], step = [2]}
  return %1
}
)");
              }),
              HasSubstr("a size is not a sum of products of the symbols"));
}

TEST(SymbolicSizes, AreLookedAtByTheVerifier) {
  Graph graph = program(kJoin);
  auto sizes = std::make_shared<SymbolicSizes>(*graph.sizes);
  sizes->dimensions.erase({graph.results()[1].id, 0});
  graph.sizes = sizes;
  EXPECT_THAT(error_of([&] { verify(graph); }), HasSubstr("sizes that vary differ from its types"));
}

}  // namespace
}  // namespace tutti::ir::symbolic_sizes_test
