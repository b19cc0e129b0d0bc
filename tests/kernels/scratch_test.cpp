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

TEST(Scratch, GivesBackWhatIsLarge) {
  Scratch scratch;
  const auto most = static_cast<std::int64_t>(Scratch::kMostKept);
  {
    const auto memory = scratch.use<std::uint8_t>(most);
  }
  EXPECT_EQ(scratch.bytes(), Scratch::kMostKept);
  {
    const auto memory = scratch.use<std::uint8_t>(most + 1);
    EXPECT_EQ(scratch.bytes(), Scratch::kMostKept + 1);
  }
  EXPECT_EQ(scratch.bytes(), 0U);
}

}  // namespace
}  // namespace tutti::kernels::scratch_test
