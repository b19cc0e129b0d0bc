#include <tutti/ir/support/hash.h>

#include <unordered_set>

#include <gtest/gtest.h>

namespace tutti::hash_test {
namespace {

TEST(Hash, TextIs32Digits) {
  EXPECT_EQ((Hash128{.high = 0x0123456789ABCDEFULL, .low = 1}).text(),
            "0123456789abcdef0000000000000001");
}

TEST(Hash, DependsOnOrderLengthAndContent) {
  const auto hash = [](std::string_view a, std::string_view b) {
    return Hasher().add(a).add(b).finish();
  };
  EXPECT_EQ(hash("ab", "c"), hash("ab", "c"));
  EXPECT_NE(hash("ab", "c"), hash("a", "bc"));
  EXPECT_NE(hash("ab", "c"), hash("c", "ab"));
  EXPECT_NE(hash("", ""), Hasher().add("").finish());
  EXPECT_NE(Hasher().add(1).finish(), Hasher().add(2).finish());
}

TEST(Hash, NeighboursDoNotCollideInEitherHalf) {
  std::unordered_set<std::uint64_t> seen;
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    const Hash128 hash = Hasher().add(i).add(i / 7).finish();
    EXPECT_TRUE(seen.insert(hash.low).second);
    EXPECT_TRUE(seen.insert(hash.high).second);
  }
}

}  // namespace
}  // namespace tutti::hash_test
