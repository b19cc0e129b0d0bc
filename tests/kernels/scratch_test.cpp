#include <tutti/kernels/host/scratch.h>

#include <cstdint>

#include <gtest/gtest.h>

namespace tutti::kernels::scratch_test {
namespace {

TEST(Scratch, KeepsWhatIsSmall) {
  Scratch scratch;
  const float* first = nullptr;
  {
    const auto memory = scratch.use<float>(1000);
    first = memory.get();
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first) % 64, 0U);
  }
  EXPECT_EQ(scratch.use<float>(500).get(), first);
  EXPECT_EQ(scratch.bytes(), 4000U);
}

TEST(Scratch, KeepsSomeOfWhatIsLarge) {
  constexpr auto kLarge = static_cast<std::int64_t>(Scratch::kMostKept) + 1;
  Scratch scratch;
  const std::uint8_t* first = nullptr;
  {
    const auto memory = scratch.use<std::uint8_t>(kLarge);
    first = memory.get();
  }
  EXPECT_EQ(scratch.bytes(), Scratch::kMostKept + 1);
  EXPECT_EQ(scratch.use<std::uint8_t>(kLarge).get(), first);
}

TEST(Scratch, GivesBackWhatIsTooLargeForAllTogether) {
  constexpr auto kLarge = static_cast<std::int64_t>(Scratch::kMostKept) + 1;
  constexpr auto kMost = static_cast<std::int64_t>(Scratch::kMostLarge);
  Scratch scratch;
  {
    const auto memory = scratch.use<std::uint8_t>(kMost + 1);
    EXPECT_EQ(scratch.bytes(), Scratch::kMostLarge + 1);
  }
  EXPECT_EQ(scratch.bytes(), 0U);
  {
    // What is kept is counted once, and no more when it has gone.
    Scratch other;
    for (int round = 0; round < 3; ++round) {
      const auto memory = other.use<std::uint8_t>(kMost / 2);
    }
    EXPECT_EQ(other.bytes(), Scratch::kMostLarge / 2);
    Scratch third;
    {
      const auto memory = third.use<std::uint8_t>(kMost / 2 + 1);
    }
    EXPECT_EQ(third.bytes(), 0U);
  }
  {
    const auto memory = scratch.use<std::uint8_t>(kMost - kLarge);
  }
  EXPECT_EQ(scratch.bytes(), Scratch::kMostLarge - Scratch::kMostKept - 1);
}

}  // namespace
}  // namespace tutti::kernels::scratch_test
