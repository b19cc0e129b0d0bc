#include <tutti/ir/philox.h>
#include <tutti/ir/support/error.h>
#include <tutti/kernels/host/random.h>

#include "tests/kernels/kernel_testing.h"

namespace tutti::kernels::random_test {
namespace {

using kernel_testing::Array;

constexpr std::uint64_t kKeys[] = {0, 1, 0x0123456789ABCDEFU, ~std::uint64_t{0}};
constexpr std::int64_t kSizes[] = {0, 1, 3, 64, 129, 1000, 40'001};

void check(RandomKind kind, ir::Op op, DType dtype, std::vector<ir::Attribute> attributes) {
  for (const std::uint64_t key : kKeys) {
    for (const std::int64_t size : kSizes) {
      attributes.back() = std::vector<std::int64_t>{size};
      const Random spec = {kind, dtype, size};
      kernel_testing::expect_result(
          spec, kernel_testing::meaning(op, {Array::scalar(key)}, attributes),
          [&](void* result, std::int64_t begin, std::int64_t end) {
            run(spec, key, result, begin, end);
          },
          std::string(ir::name_of(op)) + " " + std::string(name_of(dtype)) + "[" +
              std::to_string(size) + "]");
    }
  }
}

TEST(Random, BitsAsInterpreted) {
  check(RandomKind::bits, ir::Op::random_bits, DType::u32, {std::vector<std::int64_t>{}});
}

TEST(Random, UniformAsInterpreted) {
  for (const DType dtype : kernel_testing::floating_dtypes()) {
    check(RandomKind::uniform, ir::Op::uniform, dtype, {dtype, std::vector<std::int64_t>{}});
  }
}

TEST(Random, NormalAsInterpreted) {
  for (const DType dtype : kernel_testing::floating_dtypes()) {
    check(RandomKind::normal, ir::Op::normal, dtype, {dtype, std::vector<std::int64_t>{}});
  }
}

TEST(Random, FoldInAsInterpreted) {
  for (const std::uint64_t key : kKeys) {
    for (const std::int64_t size : kSizes) {
      const Array numbers = kernel_testing::random_array(DType::u64, Shape{size});
      const FoldIn spec = {size};
      const Array expected =
          kernel_testing::meaning(ir::Op::fold_in, {Array::scalar(key), numbers}, {});
      kernel_testing::expect_result(
          spec, expected,
          [&](void* result, std::int64_t begin, std::int64_t end) {
            run(spec, key, numbers.data<std::uint64_t>().data(),
                static_cast<std::uint64_t*>(result), begin, end);
          },
          "fold_in");
      Array in_place = numbers;
      auto* data = in_place.data<std::uint64_t>().data();
      run(spec, key, data, data, 0, tiles(spec));
      EXPECT_EQ(in_place, expected);
    }
  }
}

TEST(Random, RefusesOtherDTypes) {
  EXPECT_THROW(tiles(Random{RandomKind::bits, DType::f32, 4}), InternalError);
  EXPECT_THROW(tiles(Random{RandomKind::uniform, DType::i32, 4}), InternalError);
  std::uint64_t result = 0;
  EXPECT_THROW(run(Random{RandomKind::normal, DType::u64, 1}, 1, &result, 0, 1), InternalError);
}

}  // namespace
}  // namespace tutti::kernels::random_test
