#include <tutti/tutti.h>

#include <cmath>

#include "tests/support/gpu.h"
#include "tests/support/ops/corners.h"

// Sorting and running sums where order is not that of numbers alone: NaN, both zeros, equal
// elements, rows of one element and of many; for every mode and on a GPU.
namespace tutti::test::order_corners_test {
namespace {

using ir::Op;
using Indices = std::vector<std::int64_t>;

struct Order {
  Array values, indices;
};

// What the interpreter makes of a sort along the last axis; all others must give the same bits.
Order order_of(const Array& x, bool descending) {
  const auto sorted = [&](Device device) {
    ir::Graph graph("sort");
    ir::Builder builder(graph);
    const ir::Value operand =
        graph.add_parameter("x", {.dtype = x.dtype(), .shape = x.shape(), .device = device});
    const std::int64_t last = x.shape().rank() - 1;
    const ir::NodeId node = builder.node(Op::sort, {operand}, {last, descending});
    graph.set_results({graph.result(node, 0), graph.result(node, 1)});
    return graph;
  };
  const ir::Graph graph = sorted(Device::cpu());
  const std::vector<Array> expected = ir::interpret(graph, std::vector{x});
  const auto compare = [&](const std::vector<Array>& actual, const std::string& where) {
    EXPECT_TRUE(same_bits(actual[0], expected[0])) << "values, " << where;
    EXPECT_TRUE(same_bits(actual[1], expected[1])) << "indices, " << where;
  };
  for (const codegen::KernelMode mode : kernel_modes()) {
    compare(run_compiled(graph, std::vector{x}, mode), name_of(mode));
  }
  if (has_gpu()) compare(run_on_gpu(sorted(Device::cuda()), {x}), "on a GPU");
  return {expected[0], expected[1]};
}

void expect_order(const Array& x, bool descending, const Indices& indices) {
  const Order order = order_of(x, descending);
  EXPECT_EQ(order.indices, array_of(indices)) << name_of(x.dtype());
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const double wanted = x.at(indices[i]);
    const double actual = order.values.at(static_cast<std::int64_t>(i));
    EXPECT_TRUE(std::isnan(wanted) ? std::isnan(actual) : actual == wanted);
    EXPECT_EQ(std::signbit(actual), std::signbit(wanted)) << "element " << i;
  }
}

class FloatOrder : public testing::TestWithParam<DType> {};

TEST_P(FloatOrder, NaNIsTheLargestAndZerosAreEqual) {
  const Array finite = numbers({0.0, kNan, -0.0, 3, -1, -kNan, 0.0, -3, -0.0}, GetParam());
  expect_order(finite, false, {7, 4, 0, 2, 6, 8, 3, 1, 5});
  expect_order(finite, true, {1, 5, 3, 0, 2, 6, 8, 4, 7});
  if (!has_infinity(GetParam())) return;
  const Array x =
      numbers({0.0, kNan, -0.0, kInfinity, -1, -kNan, 0.0, -kInfinity, -0.0}, GetParam());
  expect_order(x, false, {7, 4, 0, 2, 6, 8, 3, 1, 5});
  expect_order(x, true, {1, 5, 3, 0, 2, 6, 8, 4, 7});
}

TEST_P(FloatOrder, TheSmallestNumbersAreNotZero) {
  const double tiny = [] {
    switch (GetParam()) {
      case DType::f8_e4m3fn:
        return 0x1p-9;
      case DType::f8_e5m2:
        return 0x1p-16;
      case DType::f16:
        return 0x1p-24;
      case DType::f64:
        return 0x1p-1074;
      default:
        return 1e-40;
    }
  }();
  expect_order(numbers({tiny, 0, -tiny}, GetParam()), false, {2, 1, 0});
}

std::string dtype_name(const testing::TestParamInfo<DType>& dtype) {
  return std::string(name_of(dtype.param));
}
INSTANTIATE_TEST_SUITE_P(, FloatOrder,
                         testing::Values(DType::f32, DType::f64, DType::f16, DType::bf16,
                                         DType::f8_e4m3fn, DType::f8_e5m2),
                         dtype_name);

class IntegerOrder : public testing::TestWithParam<DType> {};

TEST_P(IntegerOrder, ReachesFromEndToEnd) {
  visit_dtype(GetParam(), [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      constexpr T kLeast = std::numeric_limits<T>::min();
      constexpr T kMost = std::numeric_limits<T>::max();
      const Array x = array_of<T>({5, kMost, 0, kLeast, T(kMost - 1), 5, kMost});
      const bool is_signed = std::is_signed_v<T>;
      EXPECT_EQ(order_of(x, false).indices,
                array_of(is_signed ? Indices{3, 2, 0, 5, 4, 1, 6} : Indices{2, 3, 0, 5, 4, 1, 6}));
      EXPECT_EQ(order_of(x, true).indices,
                array_of(is_signed ? Indices{1, 6, 4, 0, 5, 2, 3} : Indices{1, 6, 4, 0, 5, 2, 3}));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(, IntegerOrder,
                         testing::Values(DType::u8, DType::u16, DType::u32, DType::u64, DType::i8,
                                         DType::i16, DType::i32, DType::i64),
                         dtype_name);

// Rows that the modes sort in different ways, with many equal elements.
TEST(Order, IsStableInRowsOfAnyLength) {
  for (const std::int64_t size : {1, 2, 31, 255, 256, 1024, 1025, 3000}) {
    SCOPED_TRACE(size);
    Array x(DType::f32, {2, size});
    for (std::int64_t i = 0; i < x.elements(); ++i) {
      const double number = static_cast<double>(i) * 0.61803398874989485;
      const auto few = static_cast<float>(std::floor(7 * (number - std::floor(number))) - 3);
      x.data<float>()[static_cast<std::size_t>(i)] = i % 11 == 5 ? NAN : few * 0.5F;
    }
    for (const bool descending : {false, true}) {
      const Order order = order_of(x, descending);
      for (std::int64_t row = 0; row < 2; ++row) {
        for (std::int64_t i = 1; i < size; ++i) {
          const std::int64_t at = row * size + i;
          const double before = order.values.at(at - 1);
          const double here = order.values.at(at);
          const bool same = before == here || (std::isnan(before) && std::isnan(here));
          const bool ahead =
              descending ? std::isnan(before) || before > here : std::isnan(here) || before < here;
          EXPECT_TRUE(same || ahead) << at;
          if (same) {
            EXPECT_LT(order.indices.at(at - 1), order.indices.at(at));
          }
        }
      }
    }
  }
}

TEST(Order, OneResultAloneIsEnough) {
  const Tensor x = tensor({3.F, 1.F, 2.F});
  EXPECT_EQ(argsort(x).to_vector<std::int64_t>(), Indices({1, 2, 0}));
  EXPECT_EQ(sort(x, 0, true).values.to_vector<float>(), std::vector<float>({3, 2, 1}));
}

class CumulativeCorners : public testing::TestWithParam<DType> {
 protected:
  static void expect_running(Op op, const std::vector<double>& x,
                             const std::vector<double>& expected, bool reverse = false) {
    expect_op(op, {numbers(x, GetParam())}, numbers(expected, GetParam()),
              {std::int64_t{0}, reverse});
  }
  static void expect_sums(const std::vector<double>& x, const std::vector<double>& expected,
                          bool reverse = false) {
    expect_running(Op::cumsum, x, expected, reverse);
  }
};

TEST_P(CumulativeCorners, NaNsInfinitiesAndZeros) {
  expect_sums({}, {});
  expect_sums({-0.0, -0.0, 0.0, -0.0}, {-0.0, -0.0, 0.0, 0.0});
  expect_sums({1, kInfinity, 1, -kInfinity, 1}, {1, kInfinity, kInfinity, kNan, kNan});
  expect_sums({1, kNan, 2}, {1, kNan, kNan});
  expect_sums({1, kNan, 2}, {kNan, kNan, 2}, true);
  expect_running(Op::cumprod, {}, {});
  expect_running(Op::cumprod, {-0.0, 1, -1, 2}, {-0.0, -0.0, 0.0, 0.0});
  expect_running(Op::cumprod, {2, kInfinity, 0, 1}, {2, kInfinity, kNan, kNan});
  for (const Op op : {Op::cummax, Op::cummin}) {
    expect_running(op, {}, {});
    expect_running(op, {1, kNan, 2}, {1, kNan, kNan});
    expect_running(op, {1, kNan, 2}, {kNan, kNan, 2}, true);
  }
  expect_running(Op::cummax, {-0.0, 0.0, -0.0}, {-0.0, 0.0, 0.0});
  expect_running(Op::cummin, {0.0, -0.0, 0.0}, {0.0, -0.0, -0.0});
  if (!has_infinity(GetParam())) return;
  expect_running(Op::cummax, {-kInfinity, 1, kInfinity, 2}, {-kInfinity, 1, kInfinity, kInfinity});
  expect_running(Op::cummin, {kInfinity, 1, 3}, {kInfinity, 1, 1});
}

TEST_P(CumulativeCorners, EachSumIsRoundedOnce) {
  // Ones that a sum in a dtype of 8 or 16 bits would lose.
  std::vector<double> x(20, 1);
  x[0] = size_of(GetParam()) == 1 ? 64 : 2048;
  std::vector<double> expected;
  for (std::size_t i = 0; i < x.size(); ++i) expected.push_back(x[0] + static_cast<double>(i));
  expect_sums(x, expected);  // numbers() rounds
}

INSTANTIATE_TEST_SUITE_P(, CumulativeCorners,
                         testing::Values(DType::f32, DType::f64, DType::f16, DType::bf16,
                                         DType::f8_e4m3fn, DType::f8_e5m2),
                         dtype_name);

TEST(Cumulative, OfIntegersWraps) {
  expect_op(Op::cumsum, {array_of<std::int8_t>({100, 100, -128, -128})},
            array_of<std::int8_t>({100, -56, 72, -56}), {std::int64_t{0}, false});
  expect_op(Op::cumsum, {array_of<std::uint64_t>({1, UINT64_MAX, UINT64_MAX})},
            array_of<std::uint64_t>({UINT64_MAX, UINT64_MAX - 1, UINT64_MAX}),
            {std::int64_t{0}, true});
  expect_op(Op::cumprod, {array_of<std::int16_t>({300, 300, -1, 2})},
            array_of<std::int16_t>({300, 24464, -24464, 16608}), {std::int64_t{0}, false});
  expect_op(Op::cumprod, {array_of<std::uint64_t>({1ULL << 63, 3, 2})},
            array_of<std::uint64_t>({1ULL << 63, 1ULL << 63, 0}), {std::int64_t{0}, false});
}

TEST(Cumulative, ExtremesOfIntegersReachTheirLimits) {
  expect_op(Op::cummax, {array_of<std::int64_t>({INT64_MIN, -1, INT64_MAX, 0})},
            array_of<std::int64_t>({INT64_MIN, -1, INT64_MAX, INT64_MAX}),
            {std::int64_t{0}, false});
  expect_op(Op::cummin, {array_of<std::uint64_t>({UINT64_MAX, 1ULL << 63, 7})},
            array_of<std::uint64_t>({UINT64_MAX, 1ULL << 63, 7}), {std::int64_t{0}, false});
  expect_op(Op::cummin, {array_of<std::int8_t>({-128, 127, 3})},
            array_of<std::int8_t>({-128, 3, 3}), {std::int64_t{0}, true});
}

}  // namespace
}  // namespace tutti::test::order_corners_test
