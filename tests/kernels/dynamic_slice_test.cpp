#include <tutti/ir/support/error.h>
#include <tutti/kernels/host/dynamic_slice.h>

#include "tests/kernels/kernel_testing.h"

namespace tutti::kernels::dynamic_slice_test {
namespace {

using kernel_testing::Array;

struct Case {
  Shape x, part;
};
const std::vector<Case> kCases = {
    {{}, {}},
    {{9}, {9}},
    {{9}, {4}},
    {{300'000}, {280'000}},  // several tiles of one row
    {{7, 5}, {3, 2}},
    {{7, 5}, {3, 5}},
    {{7, 5}, {7, 2}},
    {{5, 1, 6}, {2, 1, 6}},
    {{4, 100, 64}, {4, 1, 64}},
    {{0, 3}, {0, 2}},
    {{7, 5}, {0, 3}},
    {{7, 5}, {3, 0}},
    {{2, 1, 3, 2, 1, 2, 2, 3}, {1, 1, 2, 2, 1, 1, 2, 2}},
};

template <class Spec>
Spec spec_of(const Case& use, DType dtype, const Array& starts) {
  return {
      .element_size = size_of(dtype), .index_dtype = starts.dtype(), .x = use.x, .part = use.part};
}

void check(const Case& use, DType dtype, const Array& starts) {
  const Array x = kernel_testing::random_array(dtype, use.x);
  const Array update = kernel_testing::random_array(dtype, use.part, 2);
  const std::string what = std::string(name_of(dtype)) + use.part.text() + " of " + use.x.text() +
                           " by " + std::string(name_of(starts.dtype()));
  const auto slice = spec_of<DynamicSlice>(use, dtype, starts);
  const std::vector<std::int64_t> sizes(use.part.begin(), use.part.end());
  kernel_testing::expect_result(
      slice, kernel_testing::meaning(ir::Op::dynamic_slice, {x, starts}, {sizes}),
      [&](void* result, std::int64_t begin, std::int64_t end) {
        run(slice, x.bytes().data(), starts.bytes().data(), result, begin, end);
      },
      "slice " + what);
  const UpdateMove put = spec_of<DynamicUpdateSlice>(use, dtype, starts);
  kernel_testing::expect_result(
      put, kernel_testing::meaning(ir::Op::dynamic_update_slice, {x, update, starts}, {}),
      [&](void* result, std::int64_t begin, std::int64_t end) {
        run(put, x.bytes().data(), update.bytes().data(), starts.bytes().data(), result, begin,
            end);
      },
      "update of " + what);
  // Where the result lies over x, the part is all that is written.
  EXPECT_LE(tiles_in_place(put), tiles(put)) << what;
  Array in_place = x;
  std::byte* const result = in_place.bytes().data();
  for (std::int64_t tile = tiles_in_place(put); tile-- > 0;) {
    run(put, result, update.bytes().data(), starts.bytes().data(), result, tile, tile + 1);
  }
  EXPECT_EQ(in_place,
            kernel_testing::meaning(ir::Op::dynamic_update_slice, {x, update, starts}, {}))
      << "update in place of " << what;
}

Array starts_for(const Case& use, DType dtype, unsigned seed) {
  return kernel_testing::random_integers(dtype, Shape{use.x.rank()}, -2, 7, seed);
}

TEST(DynamicSlice, OfElementsOfEverySize) {
  for (const DType dtype : {DType::u8, DType::bf16, DType::f32, DType::f64}) {
    for (const Case& use : kCases) {
      for (unsigned seed = 0; seed < 3; ++seed)
        check(use, dtype, starts_for(use, DType::i64, seed));
    }
  }
}

TEST(DynamicSlice, StartsOfEveryDType) {
  for (const DType dtype : kernel_testing::integer_dtypes()) {
    for (const Case& use : kCases) {
      check(use, DType::f32, starts_for(use, dtype, 1));
      check(use, DType::f32,
            kernel_testing::random_array(dtype, Shape{use.x.rank()}));  // far outside
    }
  }
}

TEST(DynamicSlice, RefusesStartsThatAreNoIntegers) {
  const DynamicSlice spec = {.index_dtype = DType::f32, .x = Shape{2}, .part = Shape{1}};
  EXPECT_THROW(run(spec, nullptr, nullptr, nullptr, 0, 1), InternalError);
}

TEST(PartDimensions, JoinWhereThePartHasAll) {
  const auto joined = part_dimensions({2, 3, 4, 5}, {1, 3, 2, 5});
  ASSERT_EQ(joined.size(), 2U);
  EXPECT_EQ(joined[0].size, 6);
  EXPECT_EQ(joined[0].part, 3);
  EXPECT_EQ(joined[0].scale, 3);
  EXPECT_EQ(joined[0].axis, 0);
  EXPECT_EQ(joined[1].size, 20);
  EXPECT_EQ(joined[1].part, 10);
  EXPECT_EQ(joined[1].scale, 5);
  EXPECT_EQ(joined[1].axis, 2);
  EXPECT_EQ(part_dimensions({}, {}).size(), 1U);
}

}  // namespace
}  // namespace tutti::kernels::dynamic_slice_test
