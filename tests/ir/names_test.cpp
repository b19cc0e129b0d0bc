#include <tutti/ir/names.h>

#include <gtest/gtest.h>

namespace tutti::ir::names_test {
namespace {

TEST(Names, AreMadeIdentifiers) {
  EXPECT_EQ(identifier_from("layer 1/w", "x"), "layer_1_w");
  EXPECT_EQ(identifier_from("0", "x"), "_0");
  EXPECT_EQ(identifier_from("", "x"), "x");
  EXPECT_EQ(identifier_from("a.b_2", "x"), "a.b_2");
}

TEST(Names, AreMadeUniqueInLinearTime) {
  UniqueNames names;
  EXPECT_EQ(names.add("x"), "x");
  EXPECT_EQ(names.add("x_1"), "x_1");
  EXPECT_EQ(names.add("x"), "x_2");
  for (int i = 3; i < 100'000; ++i) EXPECT_EQ(names.add("x"), "x_" + std::to_string(i));
}

TEST(Names, AreQuotedWhereNeeded) {
  EXPECT_EQ(name_or_quoted("step"), "step");
  EXPECT_EQ(name_or_quoted("a b"), "\"a b\"");
  EXPECT_EQ(quoted("\"\\\n\t\x01\x7F\xC3"), "\"\\\"\\\\\\n\\t\\x01\\x7f\xC3\"");
}

TEST(Names, SuggestsWhatIsNear) {
  const std::string_view names[] = {"matmul", "add", "all_reduce"};
  EXPECT_EQ(suggestion("matmull", names), "; did you mean 'matmul'?");
  EXPECT_EQ(suggestion("allreduce", names), "; did you mean 'all_reduce'?");
  EXPECT_EQ(suggestion("convolution", names), "");
  EXPECT_EQ(suggestion(std::string(10'000, 'a'), names), "");
}

}  // namespace
}  // namespace tutti::ir::names_test
