#include <tutti/ir/size_expression.h>
#include <tutti/ir/support/error.h>

#include <vector>

#include <gmock/gmock.h>

namespace tutti::ir::size_expression_test {
namespace {

const std::vector<SizeSymbol> kSymbols = {{.name = "m", .least = 0, .most = 5},
                                          {.name = "n", .least = 1, .most = 64}};

SizeExpression m() { return SizeExpression::symbol(0); }
SizeExpression n() { return SizeExpression::symbol(1); }

TEST(SizeExpression, IsWrittenWithProductsFirst) {
  EXPECT_EQ(SizeExpression().text(kSymbols), "0");
  EXPECT_EQ(SizeExpression(7).text(kSymbols), "7");
  EXPECT_EQ((n() + 1).text(kSymbols), "n+1");
  EXPECT_EQ((64 - n()).text(kSymbols), "64-n");
  EXPECT_EQ((3 + n() + 2 * m() * n() - 4 * m()).text(kSymbols), "2*m*n+n+3-4*m");
  EXPECT_EQ((-1 * n()).text(kSymbols), "-n");
}

TEST(SizeExpression, HasAValueForSymbols) {
  const SizeExpression expression = 2 * m() * n() + n() - 1;
  EXPECT_EQ(expression.at(std::vector<std::int64_t>{3, 10}), 69);
  EXPECT_FALSE(expression.is_constant());
  EXPECT_EQ(expression.symbols_used(), 3U);
  EXPECT_TRUE(n().is_symbol());
  EXPECT_FALSE((2 * n()).is_symbol());
  EXPECT_TRUE((n() - n()).is_constant());
}

TEST(SizeExpression, FollowsFromItsValuesAtTheCorners) {
  const auto all = corners(kSymbols);
  EXPECT_THAT(all, testing::ElementsAre(testing::ElementsAre(5, 64), testing::ElementsAre(4, 64),
                                        testing::ElementsAre(5, 63), testing::ElementsAre(4, 63)));
  for (const SizeExpression& expression :
       {SizeExpression(9), n(), m() - n(), 3 * m() * n() - 2 * n() + 5, 64 - n()}) {
    std::vector<std::int64_t> values;
    for (const auto& corner : all) values.push_back(expression.at(corner));
    EXPECT_EQ(SizeExpression::fit(values, kSymbols), expression) << expression.text(kSymbols);
  }
}

TEST(SizeExpression, WhatDoesNotFitIsAnError) {
  const SizeExpression large = SizeExpression(INT64_MAX);
  EXPECT_THROW(large + 1, TypeError);
  EXPECT_THROW(large * 2, TypeError);
  EXPECT_THROW((large * n()).at(std::vector<std::int64_t>{1, 2}), TypeError);
  EXPECT_THROW(n() * n(), TypeError);
  EXPECT_THROW(SizeExpression::fit(std::vector<std::int64_t>{INT64_MAX, -1, 0, 0}, kSymbols),
               TypeError);
}

TEST(SizeExpression, CanBeRenumbered) {
  const std::vector<std::size_t> swapped = {1, 0};
  EXPECT_EQ((2 * m() * n() + m()).renumbered(swapped), 2 * m() * n() + n());
}

}  // namespace
}  // namespace tutti::ir::size_expression_test
