#include <tutti/ir/support/error.h>
#include <tutti/kernels/host/matmul.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <vector>

#include "tests/kernels/kernel_testing.h"
#include "tests/support/command.h"
#include "tests/support/environment_variable.h"
#include <gmock/gmock.h>
#include <sys/time.h>

// The interface that the other kernels have, where run_every_way finds it: beside the spec's type.
namespace tutti::kernels {

static std::int64_t tiles(const Matmul& spec) { return PreparedMatmul(spec).tiles(); }
static void run(const Matmul& spec, const void* a, const void* b, void* c, std::int64_t begin,
                std::int64_t end) {
  PreparedMatmul(spec).run(a, b, c, begin, end);
}

}  // namespace tutti::kernels

namespace tutti::kernels::matmul_test {

namespace {

using kernel_testing::Array;

// The elements that a batch of strided matrices covers, and where its first one is.
struct Operand {
  Array elements;
  std::int64_t first = 0;

  Operand(DType dtype, const std::vector<std::int64_t>& sizes,
          const std::vector<std::int64_t>& strides, unsigned seed) {
    std::int64_t last = 0;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      if (sizes[d] == 0) continue;
      (strides[d] < 0 ? first : last) += std::abs(strides[d]) * (sizes[d] - 1);
    }
    elements = kernel_testing::random_array(dtype, Shape{first + last + 1}, seed);
  }
  const std::byte* data() const {
    return elements.bytes().data() + first * size_of(elements.dtype());
  }
};

std::vector<std::int64_t> joined(std::vector<std::int64_t> a, std::int64_t b, std::int64_t c) {
  a.push_back(b);
  a.push_back(c);
  return a;
}

// A bound on the error of one result, given the exact one and the sum of its terms' magnitudes.
double tolerance(DType dtype, double exact, double magnitude) {
  switch (dtype) {
    case DType::f8_e4m3fn:
      return 1e-5 * magnitude + 0x1p-4 * std::abs(exact) + 0x1p-10;
    case DType::f8_e5m2:
      return 1e-5 * magnitude + 0x1p-3 * std::abs(exact) + 0x1p-17;
    case DType::f16:
      return 1e-5 * magnitude + 0x1p-11 * std::abs(exact) + 0x1p-25;
    case DType::bf16:
      return 1e-5 * magnitude + 0x1p-8 * std::abs(exact);
    case DType::f32:
      return 1e-5 * magnitude;
    default:
      return 1e-14 * magnitude;
  }
}

std::string text_of(const Matmul& spec) {
  std::string text = std::string(name_of(spec.dtype)) + " " + std::to_string(spec.m) + "x" +
                     std::to_string(spec.n) + "x" + std::to_string(spec.k);
  for (const std::int64_t size : spec.batch) text += " batch " + std::to_string(size);
  return text + " a " + std::to_string(spec.a_row_stride) + "," +
         std::to_string(spec.a_column_stride) + " b " + std::to_string(spec.b_row_stride) + "," +
         std::to_string(spec.b_column_stride);
}

// All elements of an operand, those before its first one too, as the product's type has them.
template <class T>
std::vector<T> elements_of(const Operand& operand, DType dtype) {
  return visit_dtype(dtype, [&]<class S>(std::type_identity<S>) {
    const auto* const data = reinterpret_cast<const S*>(operand.elements.bytes().data());
    std::vector<T> out;
    for (std::int64_t i = 0; i < operand.elements.shape().elements(); ++i) {
      if constexpr (std::is_same_v<S, T>) {
        out.push_back(data[i]);
      } else if constexpr (std::is_integral_v<S> && std::is_integral_v<T>) {
        out.push_back(static_cast<T>(data[i]));
      }
    }
    return out;
  });
}

// Compares with three plain loops: integers in 64 bits, floats in double.
void check(const Matmul& spec) {
  SCOPED_TRACE(text_of(spec));
  const DType a_dtype = spec.a_narrow.value_or(spec.dtype);
  const DType b_dtype = spec.b_narrow.value_or(spec.dtype);
  const Operand a(a_dtype, joined(spec.batch, spec.m, spec.k),
                  joined(spec.a_batch_strides, spec.a_row_stride, spec.a_column_stride), 1);
  const Operand b(b_dtype, joined(spec.batch, spec.k, spec.n),
                  joined(spec.b_batch_strides, spec.b_row_stride, spec.b_column_stride), 2);
  const Shape batch(spec.batch);
  const std::int64_t elements = batch.elements() * spec.m * spec.n;
  const auto result = kernel_testing::run_every_way(
      spec, elements * size_of(spec.dtype), [&](void* c, std::int64_t begin, std::int64_t end) {
        run(spec, a.data(), b.data(), c, begin, end);
      });
  visit_dtype(spec.dtype, [&]<class T>(std::type_identity<T>) {
    using Wide = std::conditional_t<std::is_integral_v<T>, std::uint64_t, double>;
    const auto a_data = elements_of<T>(a, a_dtype);
    const auto b_data = elements_of<T>(b, b_dtype);
    const auto* c = reinterpret_cast<const T*>(result.data());
    int failures = 0;
    for_each_index(batch, [&](std::span<const std::int64_t> index) {
      std::int64_t a_base = 0;
      std::int64_t b_base = 0;
      for (std::size_t d = 0; d < index.size(); ++d) {
        a_base += index[d] * spec.a_batch_strides[d];
        b_base += index[d] * spec.b_batch_strides[d];
      }
      for (std::int64_t i = 0; i < spec.m; ++i) {
        for (std::int64_t j = 0; j < spec.n; ++j, ++c) {
          Wide sum = 0;
          double magnitude = 0;
          for (std::int64_t l = 0; l < spec.k; ++l) {
            const auto x = static_cast<Wide>(a_data[static_cast<std::size_t>(
                a.first + a_base + i * spec.a_row_stride + l * spec.a_column_stride)]);
            const auto y = static_cast<Wide>(b_data[static_cast<std::size_t>(
                b.first + b_base + l * spec.b_row_stride + j * spec.b_column_stride)]);
            sum += x * y;
            magnitude += std::abs(static_cast<double>(x * y));
          }
          if constexpr (std::is_integral_v<T>) {
            failures += *c != static_cast<T>(sum);
          } else {
            const double error = std::abs(static_cast<double>(*c) - sum);
            failures += !(error <= tolerance(spec.dtype, sum, magnitude));
          }
        }
      }
    });
    EXPECT_EQ(failures, 0) << "of " << elements;
  });
}

Matmul with_layout(Matmul spec, bool transpose_a, bool transpose_b) {
  if (transpose_a) {
    spec.a_row_stride = 1;
    spec.a_column_stride = spec.m;
  }
  if (transpose_b) {
    spec.b_row_stride = 1;
    spec.b_column_stride = spec.k;
  }
  return spec;
}

Matmul batched(Matmul spec, std::vector<std::int64_t> batch, std::vector<std::int64_t> a,
               std::vector<std::int64_t> b) {
  spec.batch = std::move(batch);
  spec.a_batch_strides = std::move(a);
  spec.b_batch_strides = std::move(b);
  return spec;
}

class MatmulOf : public testing::TestWithParam<DType> {};

TEST_P(MatmulOf, OddSizesInEveryLayout) {
  const std::int64_t sizes[][3] = {{1, 1, 1},
                                   {3, 5, 7},
                                   {1, 70, 33},
                                   {70, 1, 33},
                                   {17, 31, 1},
                                   {65, 129, 2},
                                   {130, 67, 41},
                                   {5, 33, 1100},
                                   // With a vector:
                                   {1, 1, 5001},
                                   {1, 90, 611},
                                   {90, 1, 611},
                                   {3, 90, 611}};
  for (const auto& [m, n, k] : sizes) {
    for (const bool transpose_a : {false, true}) {
      for (const bool transpose_b : {false, true}) {
        check(with_layout(dense_matmul(GetParam(), m, n, k), transpose_a, transpose_b));
      }
    }
  }
}

TEST_P(MatmulOf, AsInterpreted) {
  const Array a = kernel_testing::random_array(GetParam(), Shape{2, 1, 9, 20}, 1);
  const Array b = kernel_testing::random_array(GetParam(), Shape{3, 20, 11}, 2);
  const Array expected = kernel_testing::meaning(ir::Op::matmul, {a, b}, {});
  const Matmul spec =
      batched(dense_matmul(GetParam(), 9, 11, 20), {2, 3}, {9 * 20, 0}, {0, 20 * 11});
  Array result(GetParam(), Shape{2, 3, 9, 11});
  run(spec, a.bytes().data(), b.bytes().data(), result.bytes().data(), 0, tiles(spec));
  if (is_integer(GetParam())) {
    EXPECT_EQ(result, expected);
    return;
  }
  for (std::int64_t i = 0; i < result.elements(); ++i) {
    EXPECT_NEAR(result.at(i), expected.at(i), tolerance(GetParam(), 2 * expected.at(i), 20));
  }
}

TEST_P(MatmulOf, Batches) {
  const Matmul small = dense_matmul(GetParam(), 4, 6, 5);
  check(batched(small, {7}, {20}, {30}));
  check(batched(small, {7}, {20}, {0}));  // one tall matrix
  check(batched(small, {7}, {0}, {30}));  // a is broadcast
  check(batched(small, {3, 2, 2}, {0, 40, 20}, {60, 0, 30}));
  check(batched(small, {3, 2}, {20, 60}, {30, 0}));  // batch dimensions of a transposed operand
  check(batched(with_layout(dense_matmul(GetParam(), 40, 33, 8), true, true), {40}, {320}, {264}));
  check(batched(dense_matmul(GetParam(), 1, 33, 8), {12}, {8}, {0}));
  check(batched(dense_matmul(GetParam(), 1, 33, 8), {12}, {0}, {0}));
}

TEST_P(MatmulOf, AnyStrides) {
  Matmul spec = dense_matmul(GetParam(), 37, 70, 53);
  spec.a_row_stride = 2 * 53;  // every other row
  check(spec);
  spec.a_row_stride = 3 * 53;
  spec.a_column_stride = 3;
  check(spec);
  spec.b_row_stride = 2;
  spec.b_column_stride = 2 * 53;
  check(spec);
  spec.a_row_stride = -53;  // reversed
  spec.a_column_stride = 1;
  check(spec);
  spec.a_row_stride = 0;  // all rows are one
  check(spec);
  spec.a_row_stride = 0;
  spec.a_column_stride = 0;
  spec.b_row_stride = 0;
  spec.b_column_stride = 1;
  check(spec);
  spec.a_row_stride = 1;  // overlapping windows
  spec.a_column_stride = 1;
  check(spec);
}

TEST_P(MatmulOf, Nothing) {
  check(dense_matmul(GetParam(), 5, 7, 0));  // zeros
  check(batched(dense_matmul(GetParam(), 300, 300, 0), {3}, {0}, {0}));
  const Matmul empty[] = {dense_matmul(GetParam(), 0, 7, 3), dense_matmul(GetParam(), 5, 0, 3),
                          dense_matmul(GetParam(), 0, 0, 0),
                          batched(dense_matmul(GetParam(), 5, 7, 3), {2, 0}, {0, 15}, {0, 0}),
                          batched(dense_matmul(GetParam(), 5, 7, 3), {0}, {15}, {21})};
  for (const Matmul& spec : empty) {
    EXPECT_EQ(tiles(spec), 0);
    run(spec, nullptr, nullptr, nullptr, 0, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(DTypes, MatmulOf, testing::ValuesIn(kernel_testing::number_dtypes()),
                         [](const auto& test) { return std::string(name_of(test.param)); });

// Integers that 16 bits hold are multiplied in pairs, whose sum may be 2^31; one that they don't
// hold changes the way, not the meaning.
TEST(Matmul, OfTheLargestIntegersOf16BitsAndOfOneBeyond) {
  constexpr std::int64_t kM = 70;
  constexpr std::int64_t kN = 45;
  constexpr std::int64_t kK = 611;
  const auto expect_right = [&]<class T>(std::type_identity<T>, bool beyond) {
    constexpr auto kLeast = static_cast<T>(-32768);
    constexpr auto kMost = static_cast<T>(32767);
    std::vector<T> a(kM * kK, kLeast);
    std::vector<T> b(kK * kN, kLeast);
    for (std::size_t i = 0; i < a.size(); i += 3) a[i] = kMost;
    for (std::size_t i = 0; i < b.size(); i += 7) b[i] = kMost;
    if (beyond) b[b.size() / 2] = static_cast<T>(32768);
    std::vector<T> c(kM * kN);
    const Matmul spec = dense_matmul(dtype_of<T>, kM, kN, kK);
    run(spec, a.data(), b.data(), c.data(), 0, tiles(spec));
    int failures = 0;
    for (std::int64_t i = 0; i < kM; ++i) {
      for (std::int64_t j = 0; j < kN; ++j) {
        std::uint64_t sum = 0;
        for (std::int64_t l = 0; l < kK; ++l) {
          sum += static_cast<std::uint64_t>(a[static_cast<std::size_t>(i * kK + l)]) *
                 static_cast<std::uint64_t>(b[static_cast<std::size_t>(l * kN + j)]);
        }
        failures += c[static_cast<std::size_t>(i * kN + j)] != static_cast<T>(sum);
      }
    }
    EXPECT_EQ(failures, 0) << name_of(dtype_of<T>) << beyond;
  };
  for (const bool beyond : {false, true}) {
    expect_right(std::type_identity<std::int8_t>(), beyond);
    expect_right(std::type_identity<std::uint8_t>(), beyond);
    expect_right(std::type_identity<std::int16_t>(), beyond);
    expect_right(std::type_identity<std::uint16_t>(), beyond);
    expect_right(std::type_identity<std::int32_t>(), beyond);
    expect_right(std::type_identity<std::uint32_t>(), beyond);
    expect_right(std::type_identity<std::int64_t>(), beyond);
  }
}

// As of networks whose weights have a byte: in pairs, and where that is not worth it, or one alone
// is narrow, by copies.
TEST(Matmul, ReadsOperandsThatAreStoredNarrow) {
  const std::optional<DType> stored[] = {std::nullopt, DType::i8, DType::u8, DType::i16};
  for (const std::optional<DType> a : stored) {
    for (const std::optional<DType> b : stored) {
      for (const auto [m, n, k] : {std::array<std::int64_t, 3>{70, 45, 611},
                                   {3, 90, 40},
                                   {1, 33, 5},
                                   {300, 7, 16},
                                   {200, 520, 64}}) {
        Matmul spec = dense_matmul(DType::i32, m, n, k);
        spec.a_narrow = a;
        spec.b_narrow = b;
        check(spec);
        check(with_layout(spec, true, true));
      }
      Matmul spec = batched(dense_matmul(DType::i32, 9, 11, 20), {2, 3}, {9 * 20, 0}, {0, 20 * 11});
      spec.a_narrow = a;
      spec.b_narrow = b;
      check(spec);
      Matmul empty = dense_matmul(DType::i32, 9, 11, 0);
      empty.a_narrow = a;
      check(empty);
    }
  }
  Matmul wrong = dense_matmul(DType::i32, 9, 11, 20);
  wrong.a_narrow = DType::u16;
  EXPECT_THROW(PreparedMatmul{wrong}, InternalError);
  wrong.dtype = DType::f32;
  wrong.a_narrow = DType::i8;
  EXPECT_THROW(PreparedMatmul{wrong}, InternalError);
}

TEST(Matmul, DividesLargeProducts) {
  for (const DType dtype : {DType::f32, DType::bf16, DType::f16}) {
    check(dense_matmul(dtype, 300, 520, 64));
    check(with_layout(dense_matmul(dtype, 128, 320, 700), true, false));
  }
  // Enough tiles for a small machine where there is work, and none that are not worth it.
  EXPECT_GE(tiles(dense_matmul(DType::f32, 2048, 128, 512)), 8);
  EXPECT_GE(tiles(with_layout(dense_matmul(DType::f32, 128, 512, 2048), true, false)), 8);
  EXPECT_GE(tiles(dense_matmul(DType::f32, 1, 4096, 4096)), 8);
  EXPECT_EQ(tiles(dense_matmul(DType::f32, 64, 64, 64)), 1);
  EXPECT_EQ(tiles(batched(dense_matmul(DType::f32, 8, 8, 8), {64}, {64}, {64})), 1);
  EXPECT_EQ(tiles(batched(dense_matmul(DType::f32, 128, 128, 32), {64}, {4096}, {4096})), 64);
}

TEST(Matmul, HasTheSameBitsWhateverThreadRunsIt) {
  const Matmul spec = dense_matmul(DType::f32, 70, 300, 3000);
  const Array a = kernel_testing::random_array(DType::f32, Shape{70 * 3000}, 1);
  const Array b = kernel_testing::random_array(DType::f32, Shape{3000 * 300}, 2);
  Array first(DType::f32, Shape{70, 300});
  run(spec, a.bytes().data(), b.bytes().data(), first.bytes().data(), 0, tiles(spec));
  for (int again = 0; again < 3; ++again) {
    Array other(DType::f32, Shape{70, 300});
    std::thread([&] {
      run(spec, a.bytes().data(), b.bytes().data(), other.bytes().data(), 0, tiles(spec));
    }).join();
    EXPECT_EQ(first, other);
  }
}

// Short and long ones, some of whose last elements fill no vector.
TEST_P(MatmulOf, RowsHaveTheBitsThatEachHasAlone) {
  const DType dtype = GetParam();
  constexpr std::int64_t kRows = 37;
  for (std::int64_t k = 16; k < 70; ++k) {
    const Array a = kernel_testing::random_array(dtype, Shape{kRows * k}, 1);
    const Array x = kernel_testing::random_array(dtype, Shape{k}, 2);
    Array all(dtype, Shape{kRows});
    Array alone(dtype, Shape{kRows});
    const Matmul spec = dense_matmul(dtype, kRows, 1, k);
    run(spec, a.bytes().data(), x.bytes().data(), all.bytes().data(), 0, tiles(spec));
    const std::int64_t size = size_of(dtype);
    for (std::int64_t row = 0; row < kRows; ++row) {
      run(dense_matmul(dtype, 1, 1, k), a.bytes().data() + row * k * size, x.bytes().data(),
          alone.bytes().data() + row * size, 0, 1);
    }
    ASSERT_EQ(all, alone) << k;
  }
}

std::int64_t threads_of_this_process() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return std::distance(begin(tasks), end(tasks));
}

TEST(Matmul, StartsNoThreads) {
  // A library that brought its own would have one per core by now.
  const std::int64_t before = threads_of_this_process();
  for (const DType dtype : {DType::f32, DType::bf16, DType::f16, DType::f64}) {
    const Array a = kernel_testing::random_array(dtype, Shape{512, 512});
    Array c(dtype, Shape{512, 512});
    const Matmul spec = dense_matmul(dtype, 512, 512, 512);
    run(spec, a.bytes().data(), a.bytes().data(), c.bytes().data(), 0, tiles(spec));
  }
  EXPECT_EQ(threads_of_this_process(), before);
}

// oneDNN reads the variable once, so another process has it: an f32 product as one of bf16.
TEST(Matmul, UsesAllBitsWhateverTheEnvironmentSays) {
  const test::EnvironmentVariable mode("ONEDNN_DEFAULT_FPMATH_MODE", "BF16");
  // That process has one test, and runs it.
  ::unsetenv("GTEST_TOTAL_SHARDS");
  ::unsetenv("GTEST_SHARD_INDEX");
  const test::CommandResult result =
      test::run_command({"/proc/self/exe", "--gtest_filter=Matmul.DividesLargeProducts"});
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST(Matmul, MakesManyShapesOnManyThreads) {
  // More shapes than are remembered, several threads asking for the same ones at once.
  std::vector<std::thread> threads;
  std::atomic<int> failures = 0;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      const std::vector<float> ones(64 * 64, 1.0F);
      std::vector<float> c(64 * 64);
      for (std::int64_t m = 1; m <= 35; ++m) {
        for (std::int64_t n = 1; n <= 35; ++n) {
          const Matmul spec = dense_matmul(DType::f32, m, n, 3);
          run(spec, ones.data(), ones.data(), c.data(), 0, tiles(spec));
          failures += std::count(c.begin(), c.begin() + m * n, 3.0F) != m * n;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
}

TEST(Matmul, RefusesWhatItCannotMultiply) {
  EXPECT_THROW(tiles(dense_matmul(DType::boolean, 2, 2, 2)), InternalError);
  EXPECT_THROW(tiles(dense_matmul(DType::f32, -2, 2, 2)), InternalError);
  Matmul spec = dense_matmul(DType::f32, 2, 2, 2);
  spec.batch = {3};
  EXPECT_THROW(tiles(spec), InternalError);
}

// oneDNN's own code may not be interrupted; see NoSignals.
TEST(Matmul, SignalsMayArriveAtAnyTime) {
  constexpr std::int64_t kSide = 500;
  const std::vector<float> ones(kSide * kSide, 1.F);
  std::vector<float> c(kSide * kSide);
  const auto before = std::signal(SIGALRM, [](int) {});
  itimerval often{.it_interval = {.tv_sec = 0, .tv_usec = 100},
                  .it_value = {.tv_sec = 0, .tv_usec = 100}};
  setitimer(ITIMER_REAL, &often, nullptr);
  for (int round = 0; round < 10; ++round) {
    const Matmul spec = dense_matmul(DType::f32, kSide, kSide, kSide);
    run(spec, ones.data(), ones.data(), c.data(), 0, tiles(spec));
  }
  often = {};
  setitimer(ITIMER_REAL, &often, nullptr);
  std::signal(SIGALRM, before);
  EXPECT_THAT(c, testing::Each(static_cast<float>(kSide)));
}

}  // namespace
}  // namespace tutti::kernels::matmul_test
