#include <tutti/ir/debug/difference.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/text/print.h>

#include <string>

#include <gtest/gtest.h>

namespace tutti::ir::difference_test {
namespace {

const std::string kMesh = "mesh (dp = 2)\ngroup @dp = {ranks = [0, 1], stride = 2}\n";

// A function of two parameters with these nodes.
std::string function(const std::string& nodes, const std::string& result) {
  return "func @f(%x: f32[4], %y: f32[4]) {\n" + nodes + "return " + result + " }\n";
}

const std::string kProgram = function(
    "%0 = mul(%x, %y) // a.cpp:1\n%1 = exp(%0) // a.cpp:2\n%2 = add(%1, %y) // a.cpp:3\n"
    "%3 = sum(%2) {axes = [0]} // a.cpp:4\n",
    "%3");

std::string changed(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return text.replace(at, from.size(), to);
}

std::optional<Difference> difference_of(const std::string& a, const std::string& b) {
  const Module in_a = parse(a, "a");
  const Module in_b = parse(b, "b");
  return difference(in_a.functions[0], in_b.functions[0]);
}

void expect_difference(const std::string& a, const std::string& b, const std::string& first,
                       std::size_t more, std::size_t consequences) {
  const std::optional<Difference> found = difference_of(a, b);
  ASSERT_TRUE(found) << first;
  EXPECT_EQ(found->first, first);
  EXPECT_EQ(found->more, more);
  EXPECT_EQ(found->consequences, consequences);
}

TEST(Difference, OfEqualProgramsIsNone) {
  EXPECT_FALSE(difference_of(kProgram, kProgram));
  const Module module = parse(kProgram, "a");
  EXPECT_EQ(difference_in_names(module.functions[0], module.functions[0]), "");
}

TEST(Difference, IsNoneWhereOnlyNamesAndLinesDiffer) {
  const auto names = [](const std::string& b) {
    const Module in_a = parse(kProgram, "a");
    const Module in_b = parse(b, "b");
    EXPECT_FALSE(difference(in_a.functions[0], in_b.functions[0]));
    return difference_in_names(in_a.functions[0], in_b.functions[0]);
  };
  EXPECT_EQ(names(changed(kProgram, "@f", "@g")), "the function is @f in A and @g in B");
  EXPECT_EQ(names(changed(kProgram, "a.cpp:3", "b.cpp:7")),
            "the line of add(%1, %y) : f32[4] is a.cpp:3 in A and b.cpp:7 in B");
  EXPECT_EQ(names(changed(kProgram, "axes = [0]", "axes = [0], fusion = 2")),
            "the kernel of sum(%2) {axes = [0]} : f32[] is -1 in A and 2 in B");
}

TEST(Difference, OfAnOpLeavesWhatIsBehindItAConsequence) {
  expect_difference(kProgram, changed(kProgram, "mul(", "sub("),
                    "%0 = mul(%x, %y) : f32[4] (a.cpp:1) is sub(%x, %y) in B", 0, 3);
}

TEST(Difference, OfANodeMoreMovesNothing) {
  const std::string longer = function(
      "%0 = mul(%x, %y) // a.cpp:1\n%1 = neg(%0)\n%2 = exp(%1) // a.cpp:2\n%3 = add(%2, %y)\n"
      "%4 = sum(%3) {axes = [0]}\n",
      "%4");
  expect_difference(kProgram, longer,
                    "B has a node more: %1 = neg(%0) : f32[4], between %0 = mul(%x, %y) : f32[4] "
                    "(a.cpp:1) and %2 = exp(%1) : f32[4] (a.cpp:2)",
                    0, 3);
  expect_difference(longer, kProgram,
                    "A has a node more: %1 = neg(%0) : f32[4], between %0 = mul(%x, %y) : f32[4] "
                    "(a.cpp:1) and %2 = exp(%1) : f32[4] (a.cpp:2)",
                    0, 3);
}

TEST(Difference, OfAnAttribute) {
  const std::string two = "func @f(%x: f32[4,4]) {\n%0 = sum(%x) {axes = [0]}\nreturn %0 }";
  expect_difference(two, changed(two, "[0]", "[1]"),
                    "%0 = sum(%x) {axes = [0]} : f32[4] is sum(%x) {axes = [1]} in B", 0, 0);
}

TEST(Difference, OfALargeConstantNamesTheElement) {
  const std::string constant =
      "func @f() {\n%0 = constant() {value = f32[3] [1, 2, 3]}\nreturn %0 }";
  expect_difference(constant, changed(constant, "2, 3]", "2.5, 3]"),
                    "%0 = constant() {value = f32[3] [1, 2, 3]} : f32[3] is constant() {value = "
                    "f32[3] [1, 2.5, 3]} in B: element 1 is 2 in A and 2.5 in B",
                    0, 0);
}

TEST(Difference, OfAnOperandSaysWhichItWouldBe) {
  expect_difference(kProgram, changed(kProgram, "add(%1, %y)", "add(%0, %y)"),
                    "%2 = add(%1, %y) : f32[4] (a.cpp:3) is add(%0, %y) in B: %1 of A is %1 in B, "
                    "not %0",
                    0, 1);
}

TEST(Difference, OfAParameterIsTheCauseOfTypesBehindIt) {
  std::string other = changed(kProgram, "%x: f32[4]", "%x: f32[1]");
  expect_difference(kProgram, other, "the parameter %x: f32[4] is f32[1] in B", 0, 4);
  other = changed(kProgram, "%y: f32[4]", "%y: f32[4] {donate}");
  expect_difference(kProgram, other, "the parameter %y: f32[4]: it is donated in B", 0, 0);
  other = changed(kProgram, "%x: f32[4],", "%x: f32[4], %z: i32[2],");
  expect_difference(kProgram, other, "B has a parameter more: %z: i32[2]", 0, 0);
}

TEST(Difference, OfAResult) {
  expect_difference(kProgram, changed(kProgram, "return %3", "return %2"),
                    "result 0 is %3 in A and %2 in B: %3 of A is %3 in B, not %2", 0, 0);
  expect_difference(kProgram, changed(kProgram, "return %3", "return %3, %2"),
                    "A returns 1 value, B 2", 0, 0);
}

TEST(Difference, OfSizesThatVary) {
  const auto program = [](const std::string& shapes) {
    return "func @f(" + shapes + ") {\n%0 = exp(%x)\nreturn %0 }";
  };
  const std::string varies = program("%x: f32[n<=64,4]");
  expect_difference(varies, program("%x: f32[64,4]"),
                    "the sizes that vary are n<=64 in A and none in B", 0, 0);
  expect_difference(varies, program("%x: f32[3<=n<=64,4]"),
                    "the sizes that vary are n<=64 in A and 3<=n<=64 in B", 0, 0);
  expect_difference(program("%x: f32[n<=8,8]"), program("%x: f32[8,n<=8]"),
                    "%x is f32[n,8] in A and f32[8,n] in B", 0, 0);
}

TEST(Difference, IsNoneWhereSizesHaveOtherNames) {
  const auto program = [](const std::string& x, const std::string& y) {
    return parse("func @f(%x: f32[" + x + "<=64], %y: f32[3<=" + y + "<=64]) {\n%0 = concat(%x, " +
                 "%y) {axis = 0}\nreturn %0 }");
  };
  const Module a = program("n", "m");
  const Module b = program("s", "t");  // in another order: sizes are numbered by their names
  EXPECT_FALSE(difference(a.functions[0], b.functions[0]));
  EXPECT_EQ(difference_in_names(a.functions[0], b.functions[0]),
            "%x is f32[n] in A and f32[s] in B");
}

TEST(Difference, OfShardings) {
  const auto program = [](const std::string& of_parameter, const std::string& of_result) {
    return kMesh + "func @f(%x: f32[4,4]" + of_parameter + ") -> (f32[4,4]" + of_result +
           ") {\n%0 = exp(%x)\nreturn %0 }";
  };
  const std::string sharded = " {sharding = [[\"dp\"], []]}";
  expect_difference(program(sharded, ""), program("", ""),
                    "the parameter %x: f32[4,4]: its sharding is [[\"dp\"], []] in A and none in B",
                    0, 0);
  expect_difference(program("", ""), program("", sharded),
                    "the sharding of result 0 is none in A and [[\"dp\"], []] in B", 0, 0);
}

TEST(Difference, OfMeshAndGroup) {
  const std::string program =
      kMesh +
      "func @f(%x: f32[4]) {\n%0 = all_reduce(%x) {op = \"sum\", group = @dp}\n"
      "%1 = wait(%0)\nreturn %1 }";
  expect_difference(program, changed(program, "(dp = 2)", "(tp = 2)"),
                    "the mesh is (dp = 2) in A and (tp = 2) in B", 0, 0);
  expect_difference(
      program, changed(program, "stride = 2", "stride = 2, timeout = 5"),
      "%0 = all_reduce(%x) {op = \"sum\", group = @dp} : async f32[4] rep(dp) is "
      "all_reduce(%x) {op = \"sum\", group = @dp} in B: the group is \"dp\" [0, 1] of "
      "2 in A and \"dp\" [0, 1] of 2, timeout 5 in B",
      0, 1);
}

TEST(Difference, OfTheOrder) {
  const auto program = [](const std::string& first, const std::string& second,
                          const std::string& results) {
    return "func @f(%x: f32[4]) {\n" + first + second + "return " + results + " }";
  };
  expect_difference(program("%0 = exp(%x)\n", "%1 = neg(%x)\n", "%0, %1"),
                    program("%1 = neg(%x)\n", "%0 = exp(%x)\n", "%0, %1"),
                    "the nodes are the same in another order: %0 = exp(%x) : f32[4] is in front of "
                    "%1 = neg(%x) : f32[4] in A and behind it in B",
                    0, 0);
}

TEST(Difference, OfWhichOfTwoEqualNodesIsUsed) {
  const auto program = [](const std::string& operands) {
    return "func @f(%x: f32[4]) {\n%0 = exp(%x)\n%1 = exp(%x)\n%2 = add(" + operands +
           ")\nreturn %2, %0, %1 }";
  };
  const std::optional<Difference> found = difference_of(program("%0, %0"), program("%0, %1"));
  EXPECT_TRUE(found);
}

TEST(Difference, CountsOthersByThemselves) {
  expect_difference(kProgram, changed(changed(kProgram, "mul(", "sub("), "exp(", "tanh("),
                    "%0 = mul(%x, %y) : f32[4] (a.cpp:1) is sub(%x, %y) in B", 1, 2);
}

TEST(Difference, FindsWhatBelongsTogetherWhereAllTypesDiffer) {
  // Everything is replicated in B, which has a node more, too.
  const auto program = [](const std::string& type, const std::string& more,
                          const std::string& operand) {
    return kMesh + "func @f(%x: " + type + ") {\n%0 = exp(%x) // a.cpp:1\n" + more + "%1 = mul(" +
           operand + ", " + operand +
           ") // a.cpp:2\n%2 = neg(%1) // a.cpp:3\n"
           "%3 = sum(%2) {axes = [0]} // a.cpp:4\nreturn %3 }";
  };
  expect_difference(program("f32[4]", "", "%0"),
                    program("f32[4] rep(dp)", "%n = sqrt(%0) // a.cpp:5\n", "%n"),
                    "the parameter %x: f32[4] is f32[4] rep(dp) in B", 1, 4);
}

TEST(Difference, IsThereExactlyWhereStructureDiffers) {
  std::vector<Module> modules;
  for (const char* const op : {"mul", "sub", "add"}) {
    for (const char* const operands : {"%1, %y", "%0, %1", "%y, %1", "%1, %1"}) {
      modules.push_back(
          parse(changed(changed(kProgram, "mul(", std::string(op) + "("), "%1, %y", operands)));
    }
  }
  for (const Module& a : modules) {
    for (const Module& b : modules) {
      EXPECT_EQ(difference(a.functions[0], b.functions[0]).has_value(),
                !structurally_equal(a.functions[0], b.functions[0]))
          << print(a) << print(b);
    }
  }
}

TEST(Difference, OfALongProgramIsFoundAlone) {
  constexpr int kNodes = 20000;
  const auto chain = [](int inserted) {
    std::string text = "func @f(%x: f32[4]) {\n";
    std::string last = "%x";
    for (int i = 0; i < kNodes; ++i) {
      if (i == inserted) text += "%n = neg(" + last + ")\n";
      const std::string from = i == inserted ? "%n" : last;
      last = "%a" + std::to_string(i);
      text += last + " = " + (i % 3 == 0 ? "exp(" : "tanh(") + from + ")\n";
    }
    return text + "return " + last + " }";
  };
  const std::optional<Difference> found = difference_of(chain(-1), chain(kNodes / 2));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->more, 0U);
  EXPECT_EQ(found->consequences, static_cast<std::size_t>(kNodes / 2));
}

}  // namespace
}  // namespace tutti::ir::difference_test
