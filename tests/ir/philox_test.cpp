#include <tutti/ir/philox.h>

#include <cmath>
#include <numbers>

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

// Box and Muller's formulas, with the C library's functions.
TEST(Philox, NormalNumbersAreThoseOfBoxAndMuller) {
  constexpr std::uint64_t kKey = 11;
  for (std::uint64_t i = 0; i < 20'000; i += 2) {
    const PhiloxBlock block = philox_block(kKey, PhiloxStream::normal, i / 2);
    const std::uint64_t first = block[0] | std::uint64_t{block[1]} << 32;
    const std::uint64_t second = block[2] | std::uint64_t{block[3]} << 32;
    const double radius =
        std::sqrt(-2 * std::log((static_cast<double>(first >> 11) + 1) * 0x1p-53));
    const double angle = 2 * std::numbers::pi * (static_cast<double>(second >> 11) * 0x1p-53);
    EXPECT_NEAR(random_normal(kKey, i), radius * std::cos(angle), 1e-14);
    EXPECT_NEAR(random_normal(kKey, i + 1), radius * std::sin(angle), 1e-14);
  }
}

TEST(Philox, LogarithmsAreThoseOfTheCLibrary) {
  for (double x = 1; x > 1e-16; x *= 0.999) {
    EXPECT_NEAR(normal_detail::logarithm(x), std::log(x), 4e-16 * std::abs(std::log(x))) << x;
  }
  EXPECT_EQ(normal_detail::logarithm(1), 0);
}

TEST(Philox, KeysFromOneKeyDiffer) {
  EXPECT_NE(fold_in(1, 0), fold_in(1, 1));
  EXPECT_NE(fold_in(1, 0), fold_in(2, 0));
  EXPECT_NE(random_bits(1, 0), random_bits(fold_in(1, 0), 0));
}

}  // namespace
}  // namespace tutti::ir::philox_test
