#include <tutti/kernels/host/instruction_set.h>
#include <tutti/kernels/host/packed_product.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tests/kernels/kernel_testing.h"
#include <gtest/gtest.h>

namespace tutti::kernels::packed_product_test {
namespace {

// By the steps from one element to the next along k.
Product product_of(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t a_step,
                   std::int64_t b_step) {
  Product out{.dtype = DType::f32, .m = m, .n = n, .k = k, .c_row_stride = n + 5};
  out.a_row_stride = a_step == 1 ? k + 3 : 1;
  out.a_column_stride = a_step;
  out.b_row_stride = b_step;
  out.b_column_stride = b_step == 1 ? k + 1 : 1;
  return out;
}

// Either operand and both, with one, two and four pieces of k, and added to what is there.
TEST(PackedProduct, GivesWhatLoopsGive) {
  if (!library_multiplies(DType::f32)) GTEST_SKIP() << "a build without a library";
  struct Case {
    std::int64_t m, n, k, a_step, b_step;
  };
  for (const Case& each : {Case{40, 50, 33, 1, 512}, Case{40, 50, 700, 512, 50},
                           Case{33, 48, 1600, 1024, 512}, Case{64, 500, 512, 1536, 512}}) {
    for (const bool accumulates : {false, true}) {
      Product product = product_of(each.m, each.n, each.k, each.a_step, each.b_step);
      product.accumulate = accumulates;
      const auto filled = [](std::int64_t count, unsigned seed) {
        const auto array = kernel_testing::random_array(DType::f32, Shape{count}, seed);
        std::vector<float> out;
        for (std::int64_t i = 0; i < count; ++i) out.push_back(static_cast<float>(array.at(i)));
        return out;
      };
      const std::int64_t rows_of_a = each.a_step == 1 ? each.m : each.k;
      const std::int64_t rows_of_b = each.b_step == 1 ? each.n : each.k;
      const auto a = filled(rows_of_a * std::max(product.a_row_stride, product.a_column_stride), 1);
      const auto b = filled(rows_of_b * std::max(product.b_row_stride, product.b_column_stride), 2);
      std::vector<float> c = filled(each.m * product.c_row_stride, 3);
      std::vector<float> expected = c;
      LibraryUse library;
      PackedProduct(product).run(library, a.data(), b.data(), c.data());
      multiply_by_loops(product, a.data(), b.data(), expected.data());
      for (std::size_t i = 0; i < c.size(); ++i) ASSERT_NEAR(c[i], expected[i], 1e-3) << i;
    }
  }
}

TEST(PackedProduct, SuitsStepsAlongDepthThatShareFewPlacesOfACache) {
  const bool narrow = instruction_set() == InstructionSet::avx2;
  EXPECT_EQ(PackedProduct::suits(product_of(64, 64, 64, 1, 512)), narrow);
  EXPECT_EQ(PackedProduct::suits(product_of(64, 64, 64, 1536, 1)), narrow);
  EXPECT_FALSE(PackedProduct::suits(product_of(64, 64, 64, 1, 1)));
  EXPECT_FALSE(PackedProduct::suits(product_of(64, 64, 64, 256, 500)));
  EXPECT_FALSE(PackedProduct::suits(product_of(8, 64, 64, 1, 512)));  // each is used 8 times
  Product wide = product_of(64, 64, 64, 1, 512);
  wide.dtype = DType::bf16;
  EXPECT_FALSE(PackedProduct::suits(wide));
}

}  // namespace
}  // namespace tutti::kernels::packed_product_test
