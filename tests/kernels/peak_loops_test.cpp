#include <tutti/kernels/host/peak_loops.h>

#include <array>

#include <gtest/gtest.h>

namespace tutti::kernels::peak_loops_test {
namespace {

TEST(PeakLoops, TriadComputesEveryElement) {
  constexpr std::size_t kCount = 101;
  std::array<float, kCount> a{};
  std::array<float, kCount> b{};
  std::array<float, kCount> c{};
  for (std::size_t i = 0; i < kCount; ++i) {
    b[i] = static_cast<float>(i);
    c[i] = static_cast<float>(2 * i);
  }
  triad(a.data(), b.data(), c.data(), kCount - 1);
  for (std::size_t i = 0; i + 1 < kCount; ++i) EXPECT_EQ(a[i], static_cast<float>(7 * i));
  EXPECT_EQ(a[kCount - 1], 0);
}

TEST(PeakLoops, ARegisterHoldsHalfAsManyDoubles) {
  const std::int64_t flops = multiply_adds<float>(10);
  EXPECT_GT(flops, 0);
  EXPECT_EQ(multiply_adds<double>(10), flops / 2);
  EXPECT_EQ(multiply_adds<float>(0), flops) << "of one round, however many run";
}

}  // namespace
}  // namespace tutti::kernels::peak_loops_test
