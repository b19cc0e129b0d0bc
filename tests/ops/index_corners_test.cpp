#include <tutti/tutti.h>

#include "tests/support/ops/corners.h"

// Indices out of range: take clamps, scatter_add drops, one_hot gives zeros; for every index dtype.
namespace tutti::test::index_corners_test {
namespace {

using ir::Op;

class IndexCorners : public testing::TestWithParam<DType> {
 protected:
  // Indices as the dtype holds them; negative ones are left out of unsigned dtypes.
  static Array indices(const std::vector<std::int64_t>& values) {
    Array out(GetParam(), {static_cast<std::int64_t>(values.size())});
    visit_dtype(GetParam(), [&]<class T>(std::type_identity<T>) {
      if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
        for (std::size_t i = 0; i < values.size(); ++i) {
          const bool fits = std::in_range<T>(values[i]);
          const T end =
              values[i] < 0 ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
          out.data<T>()[i] = fits ? static_cast<T>(values[i]) : end;
        }
      }
    });
    return out;
  }
  static std::int64_t clamped(const Array& index, std::int64_t i, std::int64_t size) {
    const double at = index.at(i);
    return at < 0 ? 0 : at >= static_cast<double>(size) ? size - 1 : static_cast<std::int64_t>(at);
  }
  static bool inside(const Array& index, std::int64_t i, std::int64_t size) {
    return index.at(i) >= 0 && index.at(i) < static_cast<double>(size);
  }
};

const std::vector<std::int64_t> kIndices = {0,   2,   -1,  3,         127,       128,
                                            255, 299, 300, INT64_MIN, INT64_MAX, 2};
constexpr std::int64_t kLong = 300;  // more than a byte counts

Array counting(std::int64_t size) {
  std::vector<float> out;
  for (std::int64_t i = 0; i < size; ++i) out.push_back(static_cast<float>(i) + 0.5F);
  return array_of(out);
}

TEST_P(IndexCorners, TakeClamps) {
  const Array index = indices(kIndices);
  for (const std::int64_t size : {std::int64_t{1}, std::int64_t{3}, kLong}) {
    std::vector<float> expected;
    for (std::int64_t i = 0; i < index.elements(); ++i) {
      expected.push_back(static_cast<float>(clamped(index, i, size)) + 0.5F);
    }
    expect_op(Op::take, {counting(size), index}, array_of(expected), {std::int64_t{0}});
    expect_op(Op::take_along_axis, {counting(size), index}, array_of(expected), {std::int64_t{0}});
  }
}

TEST_P(IndexCorners, ScatterAddDropsAndAddsUp) {
  const Array index = indices(kIndices);
  for (const std::int64_t size : {std::int64_t{1}, std::int64_t{3}, kLong}) {
    std::vector<float> expected(static_cast<std::size_t>(size), 1);
    for (std::int64_t i = 0; i < index.elements(); ++i) {
      if (inside(index, i, size)) {
        expected[static_cast<std::size_t>(index.at(i))] += static_cast<float>(i) + 0.5F;
      }
    }
    const Array ones = array_of(std::vector<float>(static_cast<std::size_t>(size), 1));
    expect_op(Op::scatter_add, {ones, index, counting(index.elements())}, array_of(expected),
              {std::int64_t{0}});
  }
}

// A part that would not fit is moved, in each dimension by itself.
TEST_P(IndexCorners, DynamicSlicesFit) {
  for (const std::int64_t size : {std::int64_t{3}, kLong}) {
    const Array x = counting(size * size).reshaped({size, size});
    for (const std::int64_t first : kIndices) {
      const Array starts = indices({first, 1});
      const std::int64_t row = clamped(starts, 0, size - 1);  // of two rows
      const auto at = [&](std::int64_t r, std::int64_t c) {
        return static_cast<float>(r * size + c) + 0.5F;
      };
      expect_op(Op::dynamic_slice, {x, starts},
                array_of<float>({at(row, 1), at(row, 2), at(row + 1, 1), at(row + 1, 2)}, {2, 2}),
                {std::vector<std::int64_t>{2, 2}});
      Array updated = x;
      for (const std::int64_t place : {row * size + 1, (row + 1) * size + 1}) {
        updated.data<float>()[static_cast<std::size_t>(place)] = -1;
      }
      expect_op(Op::dynamic_update_slice, {x, array_of<float>({-1, -1}, {2, 1}), starts}, updated);
    }
  }
}

TEST_P(IndexCorners, OneHotOfWhatIsOutsideIsZero) {
  const Array index = indices(kIndices);
  Array expected(DType::f32, {index.elements(), kLong});
  for (std::int64_t i = 0; i < index.elements(); ++i) {
    if (inside(index, i, kLong)) {
      expected.data<float>()[static_cast<std::size_t>(i * kLong) +
                             static_cast<std::size_t>(index.at(i))] = 1;
    }
  }
  expect_op(Op::one_hot, {index}, expected, {kLong, DType::f32});
}

// The gradients go where the values came from.
TEST_P(IndexCorners, GradientsFollowTheClampedAndDroppedIndices) {
  const Array index = indices(kIndices);
  const Tensor at = from(index);
  const Tensor weights = from(counting(index.elements()));
  for (const std::int64_t size : {std::int64_t{3}, kLong}) {
    std::vector<float> taken(static_cast<std::size_t>(size), 0);
    std::vector<float> added;
    for (std::int64_t i = 0; i < index.elements(); ++i) {
      taken[static_cast<std::size_t>(clamped(index, i, size))] += static_cast<float>(i) + 0.5F;
      added.push_back(inside(index, i, size) ? static_cast<float>(index.at(i)) + 0.5F : 0);
    }
    const Tensor x = from(counting(size));
    const auto take_loss = [&](const Tensor& t) { return sum(take(t, at) * weights); };
    EXPECT_EQ(grad(take_loss)(x).to_vector<float>(), taken);
    const auto along_loss = [&](const Tensor& t) {
      return sum(take_along_axis(t, at, 0) * weights);
    };
    EXPECT_EQ(grad(along_loss)(x).to_vector<float>(), taken);
    const Tensor square = x * ones({2, 1});
    const auto pairs = [&](const Tensor& t) {
      const Tensor two = expand_dims(at, {0}) * ones({2, 1}, at.dtype());
      return sum(take_along_axis(t, two, 1) * weights);
    };
    const std::vector<float> twice = grad(pairs)(square).to_vector<float>();
    for (std::size_t i = 0; i < twice.size(); ++i) EXPECT_EQ(twice[i], taken[i % taken.size()]);
    const auto scatter_loss = [&](const Tensor& updates) {
      return sum(scatter_add(zeros({size}), at, updates) * x);
    };
    EXPECT_EQ(grad(scatter_loss)(weights).to_vector<float>(), added);
  }
}

std::string dtype_name(const testing::TestParamInfo<DType>& dtype) {
  return std::string(name_of(dtype.param));
}
INSTANTIATE_TEST_SUITE_P(, IndexCorners,
                         testing::Values(DType::u8, DType::u16, DType::u32, DType::u64, DType::i8,
                                         DType::i16, DType::i32, DType::i64),
                         dtype_name);

}  // namespace
}  // namespace tutti::test::index_corners_test
