#include "tests/support/steady_state.h"

#include <tutti/kernels/host/attention.h>
#include <tutti/kernels/host/convolution.h>
#include <tutti/kernels/host/layout.h>
#include <tutti/kernels/host/matmul.h>

#include <cstdint>
#include <vector>

#include "tests/kernels/kernel_testing.h"
#include <sys/syscall.h>

// What has been prepared, and has run, runs again without asking for memory.
namespace tutti::kernels::steady_state_test {
namespace {

using ir::Array;

// A product with its operands.
struct Multiplied {
  PreparedMatmul matmul;
  Array a, b, c;

  explicit Multiplied(const Matmul& spec)
      : matmul(spec),
        a(kernel_testing::random_array(spec.a_narrow.value_or(spec.dtype),
                                       Shape{spec.m * spec.k + 1})),
        b(kernel_testing::random_array(spec.b_narrow.value_or(spec.dtype),
                                       Shape{spec.k * spec.n + 1})),
        c(spec.dtype, Shape{spec.m, spec.n}) {}

  void run(std::int64_t begin, std::int64_t end) {
    matmul.run(a.bytes().data(), b.bytes().data(), c.bytes().data(), begin, end);
  }
  void run() { run(0, matmul.tiles()); }
};

TEST(SteadyState, OfManyProductsAllocatesNothing) {
  std::vector<Multiplied> products;
  for (std::int64_t i = 0; i < 20; ++i) {
    products.emplace_back(dense_matmul(DType::f32, 70, 40 + i, 50));
  }
  for (const DType dtype : {DType::bf16, DType::f16, DType::f64, DType::i32}) {
    products.emplace_back(dense_matmul(dtype, 70, 300, 1100));  // more pieces of k than two
  }
  products.emplace_back(dense_matmul(DType::f32, 70, 512, 1600));  // rows that may be packed
  Matmul quantised = dense_matmul(DType::i32, 70, 300, 110);
  quantised.a_narrow = quantised.b_narrow = DType::i8;
  products.emplace_back(quantised);
  // Neither rows nor columns are adjacent.
  Matmul apart = dense_matmul(DType::f32, 60, 60, 60);
  apart.k = 30;
  apart.a_column_stride = 2;
  products.emplace_back(apart);
  products.back().a = kernel_testing::random_array(DType::f32, Shape{60 * 60});
  test::expect_no_allocations([&] {
    for (Multiplied& product : products) product.run();
  });
}

// Tiles in several sizes and many runs: what needs signals to wait is asked for once a run.
TEST(SteadyState, OfAProductMakesTwoCallsOfTheSystemARun) {
  if (!test::counts_allocations()) GTEST_SKIP() << "a sanitizer calls the system itself";
  Multiplied product(dense_matmul(DType::f32, 500, 1100, 64));
  ASSERT_GE(product.matmul.tiles(), 8);
  constexpr std::uint64_t kRuns = 10;
  const auto run_often = [&] {
    for (std::uint64_t i = 0; i < kRuns; ++i) product.run();
  };
  run_often();
  const test::SystemCallCounter counter;
  if (!counter.refusal().empty()) GTEST_SKIP() << counter.refusal();
  constexpr auto kMasks = static_cast<std::size_t>(SYS_rt_sigprocmask);
  const std::uint64_t before = counter.numbers()[kMasks];
  run_often();
  EXPECT_LE(counter.numbers()[kMasks] - before, 2 * kRuns);
}

StridedView of_heads(std::int64_t rows, std::int64_t columns) {
  return dense_view(Shape{2, rows, columns});
}

TEST(SteadyState, OfAttentionAllocatesNothing) {
  constexpr std::int64_t kQueries = 150;
  constexpr std::int64_t kKeys = 700;
  constexpr std::int64_t kDepth = 24;
  constexpr std::int64_t kWidth = 40;
  for (const DType dtype : {DType::f32, DType::bf16, DType::f64}) {
    const Attention spec = {.dtype = dtype,
                            .q = of_heads(kQueries, kDepth),
                            .k = of_heads(kKeys, kDepth),
                            .v = of_heads(kKeys, kWidth),
                            .mask = {},
                            .causal = true,
                            .scale = 0.2};
    const PreparedAttention attention = spec;
    const PreparedAttentionGradient gradient =
        AttentionGradient{.forward = spec, .cotangent = of_heads(kQueries, kWidth)};
    const auto random = [&](const StridedView& view, unsigned seed) {
      return kernel_testing::random_array(dtype, view.shape, seed);
    };
    const Array q = random(spec.q, 1);
    const Array k = random(spec.k, 2);
    const Array v = random(spec.v, 3);
    const Array g = random(of_heads(kQueries, kWidth), 4);
    Array result(dtype, Shape{2, kQueries, kWidth});
    Array dq(dtype, spec.q.shape);
    Array dk(dtype, spec.k.shape);
    Array dv(dtype, spec.v.shape);
    test::expect_no_allocations([&] {
      run(attention, q.bytes().data(), k.bytes().data(), v.bytes().data(), nullptr,
          result.bytes().data(), 0, tiles(attention));
      run(gradient, q.bytes().data(), k.bytes().data(), v.bytes().data(), nullptr, g.bytes().data(),
          dq.bytes().data(), dk.bytes().data(), dv.bytes().data(), 0, tiles(gradient));
    });
  }
}

// Of each of the ways there are.
TEST(SteadyState, OfConvolutionsAllocatesNothing) {
  struct Call {
    PreparedConvolution convolution;
    Array x, weight, result;
    std::vector<std::byte> parts = {};
  };
  std::vector<Call> calls;
  const auto add = [&](const Shape& x, const Shape& weight, std::int64_t stride, std::int64_t out) {
    const Convolution spec = {.dtype = DType::f32,
                              .x = dense_view(x),
                              .weight = dense_view(weight),
                              .stride = {stride, stride},
                              .low = {1, 1},
                              .dilation = {1, 1},
                              .out = {out, out}};
    calls.push_back({spec, kernel_testing::random_array(DType::f32, x, 1),
                     kernel_testing::random_array(DType::f32, weight, 2),
                     Array(DType::f32, Shape{x[0], weight[0], out, out})});
    calls.back().parts.resize(static_cast<std::size_t>(parts_bytes(calls.back().convolution)));
  };
  add(Shape{3, 16, 20, 20}, Shape{24, 16, 3, 3}, 1, 20);
  add(Shape{3, 16, 20, 20}, Shape{24, 16, 3, 3}, 3, 7);
  add(Shape{5, 8, 30, 30}, Shape{12, 8, 29, 29}, 1, 4);
  add(Shape{9, 25, 20, 20}, Shape{10, 25, 18, 18}, 1, 5);
  add(Shape{2, 3, 8, 8}, Shape{4, 3, 3, 3}, 1, 8);
  test::expect_no_allocations([&] {
    for (Call& call : calls) {
      if (!call.parts.empty()) {
        const ConvolutionParts parts{call.convolution};
        run(parts, call.x.bytes().data(), call.weight.bytes().data(), call.parts.data(), 0,
            tiles(parts));
      }
      run(call.convolution, call.x.bytes().data(), call.weight.bytes().data(), call.parts.data(),
          call.result.bytes().data(), 0, tiles(call.convolution));
    }
  });
}

TEST(SteadyState, OfAPadAllocatesNothing) {
  const PadMove move = Pad{4, dense_view(Shape{4, 5, 6}), {1, 2, 3}, {3, 0, 2}, {2, 1, 3}};
  const Array x = kernel_testing::random_array(DType::f32, Shape{4, 5, 6});
  const Array zero(DType::f32, Shape{});
  Array result(DType::f32, Shape{14, 11, 26});
  test::expect_no_allocations([&] {
    run(move, x.bytes().data(), zero.bytes().data(), result.bytes().data(), 0, tiles(move));
  });
}

}  // namespace
}  // namespace tutti::kernels::steady_state_test
