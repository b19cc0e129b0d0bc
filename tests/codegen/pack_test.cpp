#include <tutti/codegen/pack.h>
#include <tutti/ir/support/error.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::codegen::pack_test {
namespace {

using testing::ElementsAre;

std::vector<Life> random_lives(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](int end) {
    return static_cast<int>(random() % static_cast<unsigned>(end));
  };
  std::vector<Life> out(static_cast<std::size_t>(1 + below(40)));
  for (Life& life : out) {
    life.begin = below(50);
    life.end = life.begin + below(10);
    life.bytes = below(4) == 0 ? below(3) : 64 * below(5) + below(2);
  }
  return out;
}

void expect_apart(const std::vector<Life>& lives, const Packing& packing) {
  const auto end = [&](std::size_t i) {
    return packing.offsets[i] + std::max<std::int64_t>(lives[i].bytes, 1);
  };
  for (std::size_t i = 0; i < lives.size(); ++i) {
    EXPECT_EQ(packing.offsets[i] % 64, 0);
    EXPECT_LE(end(i), packing.bytes);
    for (std::size_t k = 0; k < i; ++k) {
      if (lives[i].begin > lives[k].end || lives[k].begin > lives[i].end) continue;
      EXPECT_TRUE(end(i) <= packing.offsets[k] || end(k) <= packing.offsets[i])
          << "pieces " << k << " and " << i;
    }
  }
}

TEST(Pack, PiecesThatAreInUseTogetherDoNotOverlap) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    const std::vector<Life> lives = random_lives(seed);
    expect_apart(lives, pack_first_fit(lives, 64));
    expect_apart(lives, pack_by_size(lives, 64));
  }
}

TEST(Pack, DependsOnTheOrderOfStepsAlone) {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    std::vector<Life> lives = random_lives(seed);
    const Packing before = pack_first_fit(lives, 64);
    for (Life& life : lives) {
      life.begin = 7 * life.begin + 100;
      life.end = 7 * life.end + 100;
    }
    EXPECT_EQ(pack_first_fit(lives, 64).offsets, before.offsets);
  }
}

// 128 bytes, then two of 64 where they were.
const std::vector<Life> kSplit = {{0, 1, 128}, {2, 4, 64}, {3, 4, 64}};

TEST(Pack, FirstFitTakesPartsOfHoles) {
  const Packing packing = pack_first_fit(kSplit, 64);
  EXPECT_THAT(packing.offsets, ElementsAre(0, 0, 64));
  EXPECT_EQ(packing.bytes, 128);
}

TEST(Pack, BySizeTakesWholeHoles) {
  const Packing packing = pack_by_size(kSplit, 64);
  EXPECT_THAT(packing.offsets, ElementsAre(0, 128, 192));
  const std::vector<Life> again = {{0, 1, 100}, {2, 4, 64}, {3, 4, 120}};
  EXPECT_THAT(pack_by_size(again, 64).offsets, ElementsAre(0, 128, 0));
}

TEST(Pack, APieceIsInUseInItsLastStep) {
  const std::vector<Life> lives = {{0, 2, 64}, {2, 3, 64}, {3, 3, 64}};
  EXPECT_THAT(pack_first_fit(lives, 64).offsets, ElementsAre(0, 64, 0));
}

// A wrapped sum would be a place before the others.
TEST(Pack, MoreBytesThanAPlanCanHaveAreNoMemory) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 2;
  const std::vector<Life> one = {{0, 1, kMost - 7}};
  const std::vector<Life> together = {{0, 1, kMost / 2 + 1}, {0, 1, kMost / 2 + 1}};
  for (const auto& lives : {one, together}) {
    EXPECT_THROW(pack_first_fit(lives, 64), OutOfMemoryError);
    EXPECT_THROW(pack_by_size(lives, 64), OutOfMemoryError);
  }
  const std::vector<Life> in_turn = {{0, 0, kMost - 63}, {1, 1, kMost - 63}};
  EXPECT_THAT(pack_first_fit(in_turn, 64).offsets, ElementsAre(0, 0));
}

}  // namespace
}  // namespace tutti::codegen::pack_test
