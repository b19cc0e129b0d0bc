#include <tutti/lazy/recent_programs.h>

#include <functional>

#include "tests/lazy/lazy_testing.h"

namespace tutti::test::recent_programs_test {
namespace {

using Programs = detail::RecentPrograms<int, int, std::hash<int>>;

void add(Programs& programs, int number) { programs.add(number, 10 * number); }

bool has(Programs& programs, int number) {
  const int* const found = programs.find(number);
  if (found != nullptr) {
    EXPECT_EQ(*found, 10 * number);
  }
  return found != nullptr;
}

TEST(RecentPrograms, KeepsThoseThatWereUsedLast) {
  Programs programs(8);
  for (int number = 0; number < 8; ++number) add(programs, number);
  EXPECT_EQ(programs.size(), 8U);
  EXPECT_TRUE(has(programs, 0));  // and now it is the one used last
  add(programs, 8);
  EXPECT_LT(programs.size(), 8U);
  EXPECT_TRUE(has(programs, 8));
  EXPECT_TRUE(has(programs, 7));
  EXPECT_TRUE(has(programs, 0));
  EXPECT_FALSE(has(programs, 1));
}

TEST(RecentPrograms, HoldsNoMoreThanItsCapacity) {
  for (const std::size_t capacity : {1U, 2U, 5U}) {
    Programs programs(capacity);
    for (int number = 0; number < 20; ++number) {
      add(programs, number);
      EXPECT_LE(programs.size(), capacity);
      EXPECT_TRUE(has(programs, number));
    }
  }
}

TEST(RecentPrograms, WhatIsKeptStaysWhereItIs) {
  Programs programs(4);
  int* const kept = &programs.add(0, 0);
  for (int number = 1; number < 20; ++number) {
    EXPECT_EQ(programs.find(0), kept);
    add(programs, number);
  }
}

TEST(RecentPrograms, ForgetsWhatItIsTold) {
  Programs programs(8);
  for (int number = 0; number < 4; ++number) add(programs, number);
  programs.erase_if([](int program) { return program == 10; });
  EXPECT_EQ(programs.size(), 3U);
  EXPECT_FALSE(has(programs, 1));
  EXPECT_TRUE(has(programs, 2));
  programs.clear();
  EXPECT_EQ(programs.size(), 0U);
  EXPECT_FALSE(has(programs, 2));
}

}  // namespace
}  // namespace tutti::test::recent_programs_test
