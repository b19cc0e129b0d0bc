#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/lazy/lazy_testing.h"

// What is taken for an axis.
namespace tutti::test::axis_test {
namespace {

// Which calls compile with that for the axis.
template <class Given>
constexpr std::array kCalls = {
    requires(const Tensor& x, Given axis) { x.size(axis); },
    requires(const AsyncTensor& x, Given axis) { x.size(axis); },
    requires(const Tensor& x, Given axis) { sum(x, axis); },
    requires(const Tensor& x, Given axis) { sum(x, {axis}); },
    requires(const Tensor& x, Given axis) { argmax(x, axis); },
    requires(const Tensor& x, Given axis) { argmin(x, axis); },
    requires(const Tensor& x, Given axis) { cumsum(x, axis); },
    requires(const Tensor& x, Given axis) { cumprod(x, axis); },
    requires(const Tensor& x, Given axis) { cummax(x, axis); },
    requires(const Tensor& x, Given axis) { cummin(x, axis); },
    requires(const Tensor& x, Given axis) { sort(x, axis); },
    requires(const Tensor& x, Given axis) { argsort(x, axis); },
    requires(const Tensor& x, Given axis) { topk(x, 1, axis); },
    requires(const Tensor& x, Given axis) { expand_dims(x, axis); },
    requires(const AsyncTensor& x, Given axis) { expand_dims(x, axis); },
    requires(const Tensor& x, Given axis) { squeeze(x, axis); },
    requires(const Tensor& x, Given axis) { roll(x, 1, axis); },
    requires(const Tensor& x, Given axis) { repeat(x, 2, axis); },
    requires(const Tensor& x, Given axis) { concat({x, x}, axis); },
    requires(const Tensor& x, Given axis) { stack({x, x}, axis); },
    requires(const Tensor& x, Given axis) { split(x, 2, axis); },
    requires(const Tensor& x, Given axis) { split(x, {1, 2}, axis); },
    requires(const Tensor& x, Given axis) { take(x, x, axis); },
    requires(const Tensor& x, Given axis) { take_along_axis(x, x, axis); },
    requires(const Tensor& x, Given axis) { scatter_add(x, x, x, axis); },
    requires(const Tensor& x, Given axis) { softmax(x, axis); },
    requires(const Tensor& x, Given axis) { log_softmax(x, axis); },
    requires(const DistributedTensor& x, Given axis) { softmax(x, axis); },
    requires(const DistributedTensor& x, Given axis) { log_softmax(x, axis); },
    requires(const Shape& shape, Given axis) { iota(shape, axis); },
    requires(Given axis) { Shard(axis); },
    requires(const Tensor& x, const Group& group, Given axis) { all_gather(x, group, axis); },
    requires(const Tensor& x, const Group& group, Given axis) { gather(x, group, 0, axis); },
    requires(const Tensor& x, const Group& group, Given axis) {
      reduce_scatter(x, group, Reduce::sum, axis);
    },
    requires(const Tensor& x, const Group& group, const ReduceFunction& f, Given axis) {
      reduce_scatter(x, group, f, axis);
    },
    requires(const Tensor& x, const Group& group, Given axis) { scatter(x, group, 0, axis); },
    requires(const Tensor& x, const Group& group, Given axis) { all_to_all(x, group, axis); },
    requires(const Tensor& x, const Group& group, Given axis) { all_to_all(x, group, 0, axis); },
    requires(const Tensor& x, const Group& group, const Sizes& sizes, Given axis) {
      all_to_all(x, group, sizes, sizes, axis);
    },
    requires(const std::vector<Tensor>& x, const Group& group, Given axis) {
      all_gather(x, group, axis);
    },
    requires(const std::vector<Tensor>& x, const Group& group, Given axis) {
      all_to_all(x, group, 0, axis);
    }};

template <class Given>
constexpr bool kIsTaken = std::ranges::count(kCalls<Given>, false) == 0;
template <class Given>
constexpr bool kIsRefused = std::ranges::count(kCalls<Given>, true) == 0;

enum Unscoped : std::uint8_t { kFirst };
enum OfCharacters : char { kLetter };
enum class Scoped : std::uint8_t { first };
template <class To>
struct Converting {
  operator To() const { return To(1); }  // NOLINT(google-explicit-constructor)
};

static_assert(kIsTaken<int> && kIsTaken<std::int64_t> && kIsTaken<std::int8_t>);
static_assert(kIsTaken<unsigned> && kIsTaken<std::size_t> && kIsTaken<std::uint8_t>);
static_assert(kIsTaken<std::ptrdiff_t> && kIsTaken<long long> && kIsTaken<unsigned long long>);
static_assert(kIsRefused<bool> && kIsRefused<char> && kIsRefused<char32_t>);
static_assert(kIsRefused<float> && kIsRefused<double>);
static_assert(kIsTaken<Unscoped> && kIsTaken<OfCharacters> && kIsRefused<Scoped>);
// Classes that convert to one, and those that convert to a flag or a fraction.
static_assert(kIsTaken<std::integral_constant<int, 1>> && kIsTaken<Converting<std::int64_t>>);
static_assert(kIsTaken<Converting<short>> && kIsTaken<Converting<std::uint64_t>>);
static_assert(kIsRefused<std::true_type> && kIsRefused<std::vector<bool>::reference>);
static_assert(kIsRefused<Converting<char>> && kIsRefused<Converting<double>>);
// What is taken can be passed on.
static_assert(kIsTaken<Axis>);

template <class Given>
concept IsTakenForAxes = requires(const Tensor& x, const Given& axes) { sum(x, axes); };
static_assert(IsTakenForAxes<std::vector<std::int64_t>> && IsTakenForAxes<std::vector<int>>);
static_assert(IsTakenForAxes<std::array<std::size_t, 2>> && IsTakenForAxes<int[2]>);
static_assert(IsTakenForAxes<Integers> && IsTakenForAxes<Axes>);
static_assert(!IsTakenForAxes<std::vector<bool>> && !IsTakenForAxes<std::vector<float>>);
static_assert(!IsTakenForAxes<std::string> && !IsTakenForAxes<Shape>);

template <class Given>
concept IsTakenForAMask = requires(const Tensor& x, Given mask) { attention(x, x, x, mask); };
static_assert(IsTakenForAMask<Tensor> && IsTakenForAMask<AsyncTensor>);
static_assert(!IsTakenForAMask<bool> && !IsTakenForAMask<int> && !IsTakenForAMask<float>);
static_assert(requires(const Tensor& x) { attention(x, x, x, {}); });
static_assert(requires(const Tensor& x) { attention(x, x, x, x, {}); });

TEST(Axis, IsOfAnyTypeOfWholeNumbers) {
  const Tensor x = from(Floats{3, 1, 2, 6, 5, 4}, {2, 3});
  const Floats sorted = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(sort(x).values.to_vector<float>(), sorted);
  EXPECT_EQ(sort(x, -1).values.to_vector<float>(), sorted);
  EXPECT_EQ(sort(x, std::size_t{1}).values.to_vector<float>(), sorted);
  EXPECT_EQ(sort(x, std::uint8_t{1}, false).values.to_vector<float>(), sorted);
  const std::optional<std::int64_t> last = x.rank() - 1;
  EXPECT_EQ(sort(x, *last).values.to_vector<float>(), sorted);
  EXPECT_EQ(x.size(std::size_t{1}), 3);
  EXPECT_EQ(sum(x, {std::size_t{0}, std::size_t{1}}).item<float>(), 21);
  EXPECT_EQ(sum(x, std::vector<int>{0, 1}).item<float>(), 21);
}

TEST(Axis, IsWhateverBecomesAWholeNumber) {
  enum { kRows, kColumns };
  const Tensor x = from(Floats{3, 1, 2, 6, 5, 4}, {2, 3});
  EXPECT_EQ(x.size(kColumns), 3);
  EXPECT_EQ(x.shape()[kColumns], 3);
  EXPECT_EQ(sum(x, kColumns).to_vector<float>(), (Floats{6, 15}));
  EXPECT_EQ(sum(x, {kRows, kColumns}).item<float>(), 21);
  EXPECT_EQ(Shard(kColumns).axis, 1);
  EXPECT_EQ(x.size(std::integral_constant<int, 1>()), 3);
  EXPECT_EQ(x.size(Converting<short>()), 3);
  expect_error<TypeError>([&] { x.size(std::integral_constant<std::uint64_t, ~0ULL>()); },
                          {"size: dimension 9223372036854775807"});
}

TEST(Axis, CanBePassedOn) {
  const Tensor x = from(Floats{3, 1, 2, 6, 5, 4}, {2, 3});
  const Axis last = -1;
  const Axis second = 1;
  EXPECT_EQ(sum(x, last).to_vector<float>(), (Floats{6, 15}));
  EXPECT_EQ(sum(x, {0, last}).item<float>(), 21);
  EXPECT_EQ(expand_dims(x, last).shape(), Shape({2, 3, 1}));
  EXPECT_EQ(x.shape()[second], 3);
}

TEST(Axis, BelowTheFirstOfUnsignedNumbersIsNotTheLast) {
  const Tensor x = ones({2, 3});
  const std::size_t none = 0;
  const std::string beyond = "9223372036854775807";
  expect_error<TypeError>([&] { argsort(x, none - 1); }, {"argsort: ", "axis " + beyond});
  expect_error<TypeError>([&] { softmax(x, none - 1); }, {"softmax: axis " + beyond});
  expect_error<TypeError>([&] { topk(x, 1, none - 1); }, {"topk: axis " + beyond});
  expect_error<TypeError>([&] { concat({x, x}, none - 1); }, {"concat: axis " + beyond});
  expect_error<TypeError>([&] { sum(x, {none - 1}); }, {"sum: axis " + beyond});
  expect_error<TypeError>([&] { x.size(none - 1); }, {"size: dimension " + beyond});
  expect_error<TypeError>([&] { iota({2}, none - 1); }, {"iota: axis " + beyond});
  // 2^32 - 1, which is none, either.
  expect_error<TypeError>([&] { cumsum(x, 0U - 1); }, {"cumsum: axis 4294967295"});
}

}  // namespace
}  // namespace tutti::test::axis_test
