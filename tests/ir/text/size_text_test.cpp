#include <tutti/ir/parse/parse.h>
#include <tutti/ir/support/error.h>
#include <tutti/ir/symbolic_sizes.h>

#include <string>

#include <gmock/gmock.h>

// Sizes that vary in text.
namespace tutti::ir::size_text_test {
namespace {

using testing::HasSubstr;

std::string error_of(const std::string& text) {
  try {
    parse(text);
  } catch (const ParseError& error) {
    return error.what();
  }
  return "no error";
}

void expect_canonical(const std::string& text) {
  const Module module = parse(text);
  EXPECT_EQ(print(module), text);
  for (std::size_t i = 0; i < module.functions.size(); ++i) {
    EXPECT_TRUE(structurally_equal(module.functions[i], parse(print(module)).functions[i]));
  }
}

TEST(SizeText, FirstMentionsHaveTheBounds) {
  expect_canonical(R"(// tutti ir 1

func @f(%x: f32[n<=64,3], %y: f32[2<=m<=8,3], %z: f32[2*m,n]) -> (f32[m+n,3], f32[3*n]) {
  %0 = concat(%x, %y) {axis = 0} : f32[m+n,3]
  %1 = reshape(%x) {shape = [3*n]} : f32[3*n]
  return %0, %1
}
)");
  expect_canonical(R"(// tutti ir 1

func @f(%x: f32[2*(n<=64)+1]) -> (f32[2*n]) {
  %0 = slice(%x) {start = [1], stop = [2*n+1], step = [1]} : f32[2*n]
  return %0
}
)");
}

TEST(SizeText, FunctionsThatNodesRunHaveBoundsOfTheirOwn) {
  expect_canonical(R"(// tutti ir 1

private func @body(%h: f32[n<=5,3], %x: f32[n,3]) -> (f32[n,3]) {
  %0 = add(%h, %x) : f32[n,3]
  return %0
}

func @f(%h: f32[n<=5,3], %xs: f32[t<=9,n,3]) -> (f32[n,3]) {
  %0 = scan(%h, %xs) {body = @body, carries = 1, sequences = 1, length = t} : f32[n,3]
  return %0
}
)");
}

TEST(SizeText, IsReadInAnyForm) {
  const Graph graph = parse(
                          "func @f(%x: f32[(2 <= n <= 4) * 3 - 2 + n, 64-n, -2 + n, n-1]) {\n"
                          "  return %x\n}\n")
                          .functions[0];
  EXPECT_EQ(symbolic_text(graph, graph.results()[0]), "f32[4*n-2,64-n,n-2,n-1]");
}

TEST(SizeText, MistakesAreNamedAtTheirPlace) {
  const auto parameter = [](const std::string& type) {
    return error_of("func @f(%x: " + type + ") {\n  return %x\n}\n");
  };
  EXPECT_THAT(parameter("f32[n]"),
              HasSubstr("1:17: unknown size n; its first mention has its bound, as in n<=64"));
  EXPECT_THAT(parameter("f32[n<=4,m]"), HasSubstr("1:22: unknown size m"));
  EXPECT_THAT(parameter("f32[n<=4,n<=4]"), HasSubstr("1:22: n has its bounds above"));
  EXPECT_THAT(parameter("f32[n<=1]"), HasSubstr("1:20: the largest size is above the smallest"));
  EXPECT_THAT(parameter("f32[5<=n<=5]"), HasSubstr("above the smallest one, 5"));
  EXPECT_THAT(parameter("f32[-1<=n<=5]"), HasSubstr("a size is not negative"));
  EXPECT_THAT(parameter("f32[n<=4,n*n]"), HasSubstr("a product of sizes has a symbol twice"));
  EXPECT_THAT(parameter("f32[n<=9223372036854775807]"), HasSubstr("no tensor is so large"));
  EXPECT_THAT(parameter("f32[a<=2,b<=2,c<=2,d<=2,e<=2]"), HasSubstr("at most 4 sizes"));
  EXPECT_THAT(parameter("f32[n<=4,9223372036854775807*n*4]"), HasSubstr("64 bits"));
  EXPECT_THAT(parameter("f32[n<=4,n-3]"), HasSubstr("for n = 1"));
  EXPECT_THAT(parameter("f32[" + std::string(100, '(') + "n<=4"), HasSubstr("nested more than 32"));
  EXPECT_THAT(parameter("f32[2*n<=5]"), HasSubstr("1:17: bounds inside a larger size stand in "
                                                  "parentheses, as in 2*(n<=64)+1"));
  EXPECT_THAT(parameter("f32[n<=5*2]"), HasSubstr("stand in parentheses"));
  EXPECT_THAT(parameter("f32[2*(1+n<=5)]"), HasSubstr("stand in parentheses"));
  EXPECT_THAT(parameter("f32[nan<=5]"), HasSubstr("nan is a number; call the size otherwise"));
  EXPECT_THAT(parameter("f32[n<=5,9223372036854775807*n]"), HasSubstr("1:22: a size in terms of"));
  EXPECT_THAT(parameter("f32[2<=3]"), HasSubstr("the name of a size between its bounds"));
  EXPECT_THAT(parameter("f32[2<=n]"), HasSubstr("'<=' and the largest size"));
}

TEST(SizeText, TypesAndNodesMustFitForAllSizes) {
  EXPECT_THAT(
      error_of("func @f(%x: f32[n<=4], %y: f32[4]) {\n  %0 = add(%x, %y)\n  return %0\n}\n"),
      testing::AllOf(HasSubstr("2:8: for n = 3: add: "), HasSubstr("f32[3] and f32[4]")));
  EXPECT_THAT(error_of("func @f(%x: f32[n<=4]) {\n"
                       "  %0 = slice(%x) {start = [0], stop = [2], step = [1]}\n  return %0\n}\n"),
              HasSubstr("2:8: for n = 1: slice: "));
  EXPECT_THAT(error_of("func @f(%x: f32[n<=4]) {\n  %0 = exp(%x) : f32[4]\n  return %0\n}\n"),
              HasSubstr("2:18: %0 is f32[n], but size 0 is written as 4"));
  EXPECT_THAT(error_of("func @f(%x: f32[n<=4]) -> (f32[4]) {\n  return %x\n}\n"),
              HasSubstr("1:28: %x is f32[n], but size 0 is written as 4"));
}

}  // namespace
}  // namespace tutti::ir::size_text_test
