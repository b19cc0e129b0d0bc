#include <tutti/lazy/program_cache.h>

#include <cstdint>
#include <string>

#include "tests/lazy/lazy_testing.h"

namespace tutti::test::program_cache_test {
namespace {

using detail::ProgramCache;

// Programs are told apart by their names.
void add(ProgramCache& cache, std::uint64_t number) {
  cache[{number, number}].program.name = std::to_string(number);
}

bool has(ProgramCache& cache, std::uint64_t number) {
  return cache[{number, number}].program.name == std::to_string(number);
}

TEST(ProgramCache, KeepsThoseThatWereUsedLast) {
  ProgramCache cache(8);
  for (std::uint64_t number = 0; number < 8; ++number) add(cache, number);
  EXPECT_EQ(cache.size(), 8U);
  EXPECT_TRUE(has(cache, 0));  // and now it is the one used last
  add(cache, 8);
  EXPECT_LT(cache.size(), 8U);
  EXPECT_TRUE(has(cache, 8));
  EXPECT_TRUE(has(cache, 7));
  EXPECT_TRUE(has(cache, 0));
  EXPECT_FALSE(has(cache, 1));
}

TEST(ProgramCache, HoldsNoMoreThanItsCapacity) {
  for (const std::size_t capacity : {1U, 2U, 5U}) {
    ProgramCache cache(capacity);
    for (std::uint64_t number = 0; number < 20; ++number) {
      add(cache, number);
      EXPECT_LE(cache.size(), capacity);
      EXPECT_TRUE(has(cache, number));
    }
  }
}

TEST(ProgramCache, ForgetsWhatItIsTold) {
  ProgramCache cache(8);
  for (std::uint64_t number = 0; number < 4; ++number) add(cache, number);
  cache.erase_if([](const ProgramCache::Program& program) { return program.program.name == "1"; });
  EXPECT_EQ(cache.size(), 3U);
  EXPECT_TRUE(has(cache, 2));
}

}  // namespace
}  // namespace tutti::test::program_cache_test
