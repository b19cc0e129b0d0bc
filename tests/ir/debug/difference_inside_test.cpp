#include <tutti/ir/debug/difference.h>
#include <tutti/ir/function.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/text/print.h>

#include <string>

#include <gmock/gmock.h>

// Differences inside the functions that nodes run.
namespace tutti::ir::difference_inside_test {
namespace {

const std::string kScan = R"(private func @cell(%h: f32[4], %x: f32[4]) {
  %0 = mul(%h, %x) // a.cpp:1
  %1 = tanh(%0) // a.cpp:2
  return %1, %0
}
func @f(%h: f32[4], %xs: f32[5,4]) {
  %0, %1 = scan(%h, %xs) {body = @cell, carries = 1, sequences = 1, length = 5}
  %2 = exp(%0)
  return %2, %1
}
)";

const std::string kNested = R"(private func @is_small(%i: i32[]) {
  %0 = constant() {value = i32[] 9}
  %1 = lt(%i, %0)
  return %1
}
private func @twice(%i: i32[]) {
  %0 = add(%i, %i)
  return %0
}
private func @grow(%i: i32[]) {
  %0 = while_loop(%i) {condition = @is_small, body = @twice, carries = 1}
  return %0
}
func @f(%i: i32[]) {
  %0 = conditional(%i, %i) {branches = [@twice, @grow]}
  return %0
}
)";

std::string changed(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return text.replace(at, from.size(), to);
}

std::optional<Difference> difference_of(const std::string& a, const std::string& b) {
  return difference(parse(a, "a").functions[0], parse(b, "b").functions[0]);
}

void expect_difference(const std::string& a, const std::string& b, const std::string& first,
                       std::size_t more, std::size_t consequences) {
  const std::optional<Difference> found = difference_of(a, b);
  ASSERT_TRUE(found) << first;
  EXPECT_EQ(found->first, first);
  EXPECT_EQ(found->more, more);
  EXPECT_EQ(found->consequences, consequences);
}

TEST(DifferenceInside, NamesTheFunctionAndTheNodeThatRunsIt) {
  expect_difference(kScan, changed(kScan, "mul(", "sub("),
                    "in @cell, the body of %0, %1 = scan(%h, %xs): %0 = mul(%h, %x) : f32[4] "
                    "(a.cpp:1) is sub(%h, %x) in B",
                    0, 2);
}

TEST(DifferenceInside, OfATypeIsNotBlamedOnTheLoop) {
  expect_difference(kScan,
                    changed(kScan, "return %1, %0",
                            "%2 = cast(%0) {dtype = f64} return "
                            "%1, %2"),
                    "in @cell, the body of %0, %1 = scan(%h, %xs): B has a node more: %2 = "
                    "cast(%0) {dtype = f64} : f64[4], behind %0 = mul(%h, %x) : f32[4] (a.cpp:1)",
                    0, 1);
}

TEST(DifferenceInside, OfConditionsAndBranchesGoesAllTheWay) {
  expect_difference(
      kNested, changed(kNested, "i32[] 9", "i32[] 7"),
      "in @grow, branch 1 of %0 = conditional(%i, %i): in @is_small, the condition of %0 = "
      "while_loop(%i): %0 = constant() {value = i32[] 9} : i32[] is constant() {value = i32[] 7} "
      "in B",
      0, 1);
}

// @twice is a branch, and the body of a loop in another one.
TEST(DifferenceInside, OfAFunctionThatIsRunTwiceCountsOnce) {
  expect_difference(kNested, changed(kNested, "add(", "mul("),
                    "in @twice, branch 0 of %0 = conditional(%i, %i): %0 = add(%i, %i) : i32[] is "
                    "mul(%i, %i) in B",
                    0, 1);
  const std::string two =
      changed(kScan, "%2 = exp(%0)",
              "%3, %4 = scan(%0, %xs) {body = @cell, carries = 1, sequences = 1, length = 5}\n"
              "%2 = exp(%3)");
  expect_difference(two, changed(two, "tanh(", "sin("),
                    "in @cell, the body of %0, %1 = scan(%h, %xs): %1 = tanh(%0) : f32[4] "
                    "(a.cpp:2) is sin(%0) in B",
                    0, 2);
}

TEST(DifferenceInside, OfTheNodeItselfComesFirst) {
  const std::string longer =
      changed(changed(kScan, "f32[5,4]", "f32[6,4]"), "length = 5", "length = 6");
  expect_difference(kScan, changed(longer, "mul(", "sub("),
                    "the parameter %xs: f32[5,4] is f32[6,4] in B", 1, 1);
}

TEST(DifferenceInside, OfSizesThatVary) {
  const auto program = [](const std::string& size, const std::string& inside) {
    return "private func @cell(%h: f32[" + inside + "]) {\n%0 = tanh(%h)\nreturn %0 }\n" +
           "func @f(%h: f32[" + size + "]) {\n%0 = scan(%h) {body = @cell, carries = 1, " +
           "sequences = 0, length = 3}\nreturn %0 }\n";
  };
  // That of the function which has the loop is nearer to the parameters.
  expect_difference(program("n<=64", "n<=64"), program("64", "64"),
                    "the sizes that vary are n<=64 in A and none in B", 0, 0);
}

TEST(DifferenceInside, OfTheNumberOfBranches) {
  expect_difference(kNested, changed(kNested, "[@twice, @grow]", "[@twice]"),
                    "%0 = conditional(%i, %i) {branches = [@twice, @grow]} : i32[] is "
                    "conditional(%i, %i) {branches = [@twice]} in B",
                    0, 0);
}

TEST(DifferenceInside, IsNoneWhereOnlyNamesLinesAndKernelsDiffer) {
  const auto names = [](const std::string& b) {
    const Graph in_a = parse(kScan, "a").functions[0];
    const Graph in_b = parse(b, "b").functions[0];
    EXPECT_FALSE(difference(in_a, in_b));
    return difference_in_names(in_a, in_b);
  };
  EXPECT_EQ(names(kScan), "");
  EXPECT_EQ(names(changed(changed(kScan, "@cell", "@c"), "@cell", "@c")),
            "the body of %0, %1 = scan(%h, %xs) is @cell in A and @c in B");
  EXPECT_EQ(names(changed(kScan, "a.cpp:2", "b.cpp:3")),
            "in @cell: the line of tanh(%0) : f32[4] is a.cpp:2 in A and b.cpp:3 in B");
  EXPECT_EQ(names(changed(kScan, "tanh(%0)", "tanh(%0) {fusion = 1}")),
            "in @cell: the kernel of tanh(%0) : f32[4] is -1 in A and 1 in B");
}

// Each level runs the one below twice: 2^24 calls of the innermost one.
TEST(DifferenceInside, OfFunctionsThatAreSharedManyTimesTakesNoLonger) {
  const auto program = [](const std::string& op) {
    std::string text = "private func @f0(%x: f32[4]) { %0 = " + op + "(%x)\nreturn %0 }\n";
    const int levels = 24;
    for (int i = 1; i <= levels; ++i) {
      const std::string below = "@f" + std::to_string(i - 1);
      text += (i == levels ? "func @f(" : "private func @f" + std::to_string(i) + "(") +
              "%x: f32[4]) {\n%0 = scan(%x) {body = " + below +
              ", carries = 1, sequences = 0, length = 2}\n%1 = scan(%0) {body = " + below +
              ", carries = 1, sequences = 0, length = 2}\nreturn %1 }\n";
    }
    return text;
  };
  const std::optional<Difference> found = difference_of(program("sin"), program("cos"));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->first, testing::EndsWith("%0 = sin(%x) : f32[4] is cos(%x) in B"));
  EXPECT_EQ(found->more, 0U);
  EXPECT_EQ(found->consequences, 24U);
  EXPECT_FALSE(difference_of(program("sin"), program("sin")));
}

TEST(AllFunctions, HoldsEachOnceBehindWhatItRuns) {
  std::string names;
  for (const FunctionPtr& function : all_functions(parse(kNested).functions[0])) {
    names += " " + function->graph().name;
  }
  EXPECT_EQ(names, " twice is_small grow");
  EXPECT_TRUE(all_functions(parse("func @f() { return }").functions[0]).empty());
}

}  // namespace
}  // namespace tutti::ir::difference_inside_test
