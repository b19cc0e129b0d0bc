#include <tutti/ir/philox.h>

#include <gtest/gtest.h>

namespace tutti::ir::philox_test {
namespace {

// The known answers of the Random123 library's file kat_vectors, "philox4x32 10".
TEST(Philox, KnownAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, 0), (PhiloxBlock{0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8}));
  constexpr std::uint32_t kOnes = 0xFFFFFFFF;
  EXPECT_EQ(philox({kOnes, kOnes, kOnes, kOnes}, ~0ULL),
            (PhiloxBlock{0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD}));
  EXPECT_EQ(philox({0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344}, 0x299F31D0A4093822ULL),
            (PhiloxBlock{0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1}));
}

TEST(Philox, UniformNumbersStayBelowOne) {
  double total = 0;
  constexpr int kCount = 20'000;
  for (std::uint64_t i = 0; i < kCount; ++i) {
    for (const double x :
         {random_uniform<double>(7, i), double{random_uniform<float>(7, i)},
          double{random_uniform<Float16>(7, i)}, double{random_uniform<BFloat16>(7, i)}}) {
      EXPECT_GE(x, 0);
      EXPECT_LT(x, 1);
      total += x;
    }
  }
  EXPECT_NEAR(total / (4 * kCount), 0.5, 0.01);
}

TEST(Philox, NormalNumbersHaveMeanZeroAndVarianceOne) {
  double total = 0;
  double squares = 0;
  constexpr int kCount = 100'000;
  for (std::uint64_t i = 0; i < kCount; ++i) {
    const double x = random_normal(3, i);
    total += x;
    squares += x * x;
  }
  EXPECT_NEAR(total / kCount, 0, 0.02);
  EXPECT_NEAR(squares / kCount, 1, 0.02);
}

TEST(Philox, KeysFromOneKeyDiffer) {
  EXPECT_NE(fold_in(1, 0), fold_in(1, 1));
  EXPECT_NE(fold_in(1, 0), fold_in(2, 0));
  EXPECT_NE(random_bits(1, 0), random_bits(fold_in(1, 0), 0));
}

}  // namespace
}  // namespace tutti::ir::philox_test
