#include <tutti/kernels/host/tile_product.h>

#include <array>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::kernels::tile_product_test {
namespace {

Product dense_product(DType dtype, std::int64_t m, std::int64_t n, std::int64_t k) {
  return {.dtype = dtype,
          .m = m,
          .n = n,
          .k = k,
          .a_row_stride = k,
          .a_column_stride = 1,
          .b_row_stride = n,
          .b_column_stride = 1,
          .c_row_stride = n};
}

TEST(KnownProducts, EachIsMadeOnce) {
  const KnownProducts products;
  const Product small = dense_product(DType::f32, 2, 3, 4);
  const Product large = dense_product(DType::f32, 64, 64, 64);
  const TileProduct& first = products.get(small);
  EXPECT_EQ(first.product(), small);
  EXPECT_EQ(products.get(large).product(), large);
  EXPECT_EQ(&products.get(small), &first);
}

TEST(KnownProducts, ThreadsGetTheSameOnes) {
  constexpr std::int64_t kCount = 40;
  const KnownProducts products;
  std::array<std::vector<const TileProduct*>, 4> got;
  std::vector<std::thread> threads;
  for (std::vector<const TileProduct*>& own : got) {
    threads.emplace_back([&] {
      for (std::int64_t n = 1; n <= kCount; ++n) {
        own.push_back(&products.get(dense_product(DType::f32, 64, 64 + n, 64)));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<const TileProduct*>& own : got) EXPECT_EQ(own, got[0]);
}

// One that a thread has not made, in another order than it was made in, and by turns with another.
TEST(TileProduct, RunsOnAnyThread) {
  constexpr std::int64_t kSide = 64;
  for (const DType dtype : {DType::f32, DType::f64}) {
    const TileProduct short_one(dense_product(dtype, kSide, kSide, kSide));
    const TileProduct long_one(dense_product(dtype, kSide, kSide, 2 * kSide));
    const auto check = [&]<class T>(T) {
      const std::vector<T> ones(2 * kSide * kSide, T{1});
      std::vector<T> c(kSide * kSide);
      LibraryUse library;
      for (int round = 0; round < 3; ++round) {
        long_one.run(library, ones.data(), ones.data(), c.data());
        EXPECT_THAT(c, testing::Each(static_cast<T>(2 * kSide)));
        short_one.run(library, ones.data(), ones.data(), c.data());
        EXPECT_THAT(c, testing::Each(static_cast<T>(kSide)));
      }
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < 20; ++i) {  // more than have a place of their own
      threads.emplace_back([&] {
        if (dtype == DType::f32) {
          check(float{});
        } else {
          check(double{});
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
}

}  // namespace
}  // namespace tutti::kernels::tile_product_test
