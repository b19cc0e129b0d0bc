// The reference evaluator against plain loops.

#include <tutti/codegen/driver/evaluate.h>
#include <tutti/ir/support/error.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "tests/codegen/kernel_maker.h"
#include <gmock/gmock.h>

namespace tutti::codegen::evaluate_test {
namespace {

using ir::ScalarOp;
using kernel_testing::KernelMaker;

std::vector<float> numbers(std::size_t count, float scale = 1, unsigned seed = 7) {
  std::vector<float> out(count);
  std::mt19937 random(seed);
  for (float& number : out) {
    number = std::uniform_real_distribution<float>(-scale, scale)(random);
  }
  return out;
}

void run(const Kernel& kernel, std::vector<void*> buffers) {
  make_evaluator(kernel)->run(buffers.data(), 0, kernel.tiles());
}

TEST(Evaluate, ElementwiseWithStridesAndOffsets) {
  // y[i][j] = x[j][i] * 2 + z[j reversed]
  constexpr std::int64_t kRows = 5;
  constexpr std::int64_t kColumns = 33;
  KernelMaker maker("map", {kRows, kColumns}, {}, VectorAxis::outer, 16);
  const int x = maker.read(DType::f32);
  const int z = maker.read(DType::f64);
  const int y = maker.write(DType::f32);
  maker.point();
  const ValueId twice =
      maker.op(ScalarOp::mul, maker.load(x, {0, {1, kRows}, {}}), maker.constant(DType::f32, 2));
  const ValueId other = maker.cast(maker.load(z, {kColumns - 1, {0, -1}, {}}), DType::f32);
  maker.store(y, {0, {kColumns, 1}, {}}, maker.op(ScalarOp::add, twice, other));
  EXPECT_EQ(maker.kernel().tiles(), kRows * 3);

  std::vector<float> in = numbers(kRows * kColumns);
  std::vector<double> line(kColumns);
  for (std::size_t i = 0; i < line.size(); ++i) line[i] = static_cast<double>(i) / 8;
  std::vector<float> out(in.size());
  run(maker.kernel(), {in.data(), line.data(), out.data()});
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t j = 0; j < kColumns; ++j) {
      const float wanted = in[j * kRows + i] * 2 + static_cast<float>(line[kColumns - 1 - j]);
      EXPECT_EQ(out[i * kColumns + j], wanted) << i << ", " << j;
    }
  }
}

TEST(Evaluate, OnlyTheTilesAsked) {
  KernelMaker maker("fill", {100}, {}, VectorAxis::outer, 32);
  const int y = maker.write(DType::i32);
  maker.point();
  maker.store(y, {0, {1}, {}}, maker.cast(maker.index({5, {2}, {}}), DType::i32));
  std::vector<std::int32_t> out(100, -1);
  void* const buffers[] = {out.data()};
  make_evaluator(maker.kernel())->run(buffers, 1, 3);
  for (std::int32_t i = 0; i < 100; ++i) {
    EXPECT_EQ(out[static_cast<std::size_t>(i)], i >= 32 && i < 96 ? 5 + 2 * i : -1);
  }
}

// A sum along two inner axes, in the order that kernel.h lays down.
TEST(Evaluate, RowSumsGoByLanes) {
  constexpr std::int64_t kRuns = 3;
  constexpr std::int64_t kColumns = 37;
  KernelMaker maker("sum", {4}, {kRuns, kColumns}, VectorAxis::inner);
  const int x = maker.read(DType::f32);
  const int y = maker.write(DType::f32);
  maker.loop();
  const ValueId sum =
      maker.reduce(ScalarOp::add, maker.load(x, {0, {kRuns * kColumns}, {kColumns, 1}}));
  maker.point();
  maker.store(y, {0, {1}, {}}, sum);

  std::vector<float> in = numbers(4 * kRuns * kColumns, 1000);
  std::vector<float> out(4);
  run(maker.kernel(), {in.data(), out.data()});
  for (std::size_t row = 0; row < 4; ++row) {
    float lanes[kLanes] = {};
    for (std::size_t i = 0; i < kRuns; ++i) {
      for (std::size_t j = 0; j < kColumns; ++j) {
        lanes[j % kLanes] += in[(row * kRuns + i) * kColumns + j];
      }
    }
    for (int half = kLanes / 2; half > 0; half /= 2) {
      for (int lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
    }
    EXPECT_EQ(out[row], lanes[0]);
  }
}

TEST(Evaluate, ColumnSumsGoElementByElement) {
  constexpr std::int64_t kRows = 50;
  constexpr std::int64_t kColumns = 19;
  KernelMaker maker("sum", {kColumns}, {kRows}, VectorAxis::outer, 16);
  const int x = maker.read(DType::f32);
  const int y = maker.write(DType::f32);
  maker.loop();
  const ValueId sum = maker.reduce(ScalarOp::add, maker.load(x, {0, {1}, {kColumns}}));
  maker.point();
  maker.store(y, {0, {1}, {}}, sum);

  std::vector<float> in = numbers(kRows * kColumns, 1000);
  std::vector<float> out(kColumns);
  run(maker.kernel(), {in.data(), out.data()});
  for (std::size_t column = 0; column < kColumns; ++column) {
    float wanted = 0;
    for (std::size_t row = 0; row < kRows; ++row) wanted += in[row * kColumns + column];
    EXPECT_EQ(out[column], wanted);
  }
}

TEST(Evaluate, SoftmaxInThreeLoops) {
  constexpr std::int64_t kColumns = 21;
  KernelMaker maker("softmax", {6}, {kColumns}, VectorAxis::inner);
  const int x = maker.read(DType::f32);
  const int y = maker.write(DType::f32);
  const Affine row{0, {kColumns}, {1}};
  maker.loop();
  const ValueId largest = maker.reduce(ScalarOp::maximum, maker.load(x, row));
  const auto power = [&] {
    return maker.op(ScalarOp::exp, maker.op(ScalarOp::sub, maker.load(x, row), largest));
  };
  maker.loop();
  const ValueId sum = maker.reduce(ScalarOp::add, power());
  maker.loop();
  maker.store(y, row, maker.op(ScalarOp::div, power(), sum));

  std::vector<float> in = numbers(6 * kColumns, 5);
  std::vector<float> out(in.size());
  run(maker.kernel(), {in.data(), out.data()});
  for (std::size_t i = 0; i < 6; ++i) {
    double total = 0;
    for (std::size_t j = 0; j < kColumns; ++j) {
      total += std::exp(static_cast<double>(in[i * kColumns + j]));
    }
    for (std::size_t j = 0; j < kColumns; ++j) {
      const double wanted = std::exp(static_cast<double>(in[i * kColumns + j])) / total;
      EXPECT_NEAR(out[i * kColumns + j], wanted, 1e-6);
    }
  }
}

TEST(Evaluate, ReductionsOfNothingAreNeutral) {
  KernelMaker maker("none", {2}, {0}, VectorAxis::inner);
  const int x = maker.read(DType::f32);
  const int y = maker.write(DType::f32);
  maker.loop();
  const ValueId value = maker.load(x, {0, {0}, {1}});
  const ValueId sum = maker.reduce(ScalarOp::add, value);
  const ValueId least = maker.reduce(ScalarOp::minimum, value);
  maker.point();
  maker.store(y, {0, {2}, {}}, sum);
  maker.store(y, {1, {2}, {}}, least);
  std::vector<float> out(4, -1);
  run(maker.kernel(), {nullptr, out.data()});
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_THAT(out, testing::ElementsAre(0, kInfinity, 0, kInfinity));
}

TEST(Evaluate, SixteenBitFloatsRoundWhereTheyAreAskedTo) {
  KernelMaker maker("round", {3}, {}, VectorAxis::outer, 16);
  const int x = maker.read(DType::bf16);
  const int y = maker.write(DType::f32);
  const int z = maker.write(DType::f16);
  maker.point();
  const Affine at{0, {1}, {}};
  const ValueId sum = maker.op(ScalarOp::add, maker.load(x, at), maker.constant(DType::f32, 0.001));
  maker.store(y, at, maker.round(DType::bf16, sum));
  maker.store(z, at, sum);
  std::vector<BFloat16> in = {BFloat16(1), BFloat16(-256), BFloat16(0.1F)};
  std::vector<float> out(3);
  std::vector<Float16> half(3);
  run(maker.kernel(), {in.data(), out.data(), half.data()});
  for (std::size_t i = 0; i < 3; ++i) {
    const float wanted = static_cast<float>(in[i]) + 0.001F;
    EXPECT_EQ(out[i], static_cast<float>(BFloat16(wanted)));
    EXPECT_EQ(half[i].bits, Float16(wanted).bits);
  }
}

TEST(Evaluate, RefusesABrokenKernel) {
  KernelMaker maker("broken", {3}, {}, VectorAxis::outer, 0);
  EXPECT_THROW(make_evaluator(maker.kernel()), InternalError);
}

}  // namespace
}  // namespace tutti::codegen::evaluate_test
