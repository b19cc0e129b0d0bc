// Machine code against the reference evaluator: the same bits, on this machine and as older ones
// would compute it.

#include <tutti/codegen/driver/evaluate.h>
#include <tutti/codegen/kernel/short_rows.h>
#include <tutti/codegen/llvm/compile_kernels.h>
#include <tutti/ir/support/error.h>

#include <array>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/codegen/kernel_maker.h"
#include <gmock/gmock.h>

#if TUTTI_HAS_LLVM

namespace tutti::codegen::llvm_kernel_test {
namespace {

using ir::ScalarOp;
using namespace kernel_testing;  // NOLINT: the helpers of this folder

// What differs between the modes, for some kernels compiled together; empty: nothing.
std::string compare(const std::vector<Kernel>& kernels, const native::Processor& processor) {
  std::vector<const Kernel*> pointers;
  for (const Kernel& kernel : kernels) pointers.push_back(&kernel);
  const auto codes = native::compile(pointers, processor);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    Arguments wanted = make_arguments(kernels[i], static_cast<std::uint32_t>(i));
    Arguments got = make_arguments(kernels[i], static_cast<std::uint32_t>(i));
    run_all(*make_evaluator(kernels[i]), kernels[i], wanted);
    run_all(*codes[i], kernels[i], got);
    const std::string found = difference(kernels[i], wanted, got);
    if (!found.empty()) return found + "\n" + print(kernels[i]);
  }
  return "";
}

// By the name of the CPU that code is made for: this one ("host"), one with AVX2 and fused
// multiply-add, one with SSE4 alone.
class Llvm : public testing::TestWithParam<std::string> {
 protected:
  static native::Processor processor() {
    return {.cpu = GetParam() == "host" ? "" : GetParam(), .features = ""};
  }
};

INSTANTIATE_TEST_SUITE_P(Processors, Llvm, testing::Values("host", "haswell", "nehalem"),
                         [](const auto& parameter) { return parameter.param; });

TEST_P(Llvm, RandomKernelsGiveTheSameBits) {
  for (unsigned seed = 0; seed < 6; ++seed) {
    std::mt19937 random(seed);
    std::vector<Kernel> kernels;
    for (int i = 0; i < 25; ++i) kernels.push_back(random_kernel(random));
    ASSERT_EQ(compare(kernels, processor()), "") << "seed " << seed;
  }
}

// Rows of every short length, behind each other and with gaps between them, whole strips of them
// and what is left.
TEST_P(Llvm, ShortRowsSideBySide) {
  constexpr DType kDTypes[] = {DType::f32, DType::f64, DType::bf16, DType::i8, DType::i32};
  std::vector<Kernel> kernels;
  for (std::int64_t length = 2; length <= kLongestShortRow + 1; ++length) {
    for (const std::int64_t gap : {0, 3}) {
      for (const DType dtype : kDTypes) {
        const std::int64_t rows = 16 * (1 + length % 7) + (length + gap) % 5;
        const std::int64_t block = length % 5 == 0 ? 24 : kLanes << length % 4;
        KernelMaker maker("rows", {2, rows}, {length}, VectorAxis::outer, block);
        const std::int64_t pitch = length + gap;
        const Affine at{gap, {rows * pitch, pitch}, {1}};
        const Affine row{0, {rows, 1}, {}};
        const int in = maker.read(dtype);
        maker.loop();
        const ValueId x = maker.load(in, at);
        const ValueId most = maker.reduce(ScalarOp::maximum, x);
        maker.point();
        maker.store(maker.write(ir::compute_dtype(dtype)), row, most);
        maker.loop();
        const ValueId again = maker.load(in, at);
        const ValueId beside = maker.load(maker.read(dtype), {0, {0, length}, {1}});
        const ValueId below = maker.op(ScalarOp::sub, again, most);
        maker.store(maker.write(dtype), {0, {rows * length, length}, {1}},
                    maker.op(ScalarOp::add, below, beside));
        kernels.push_back(maker.kernel());
        EXPECT_EQ(has_short_rows(kernels.back()), length <= kLongestShortRow);
      }
    }
  }
  EXPECT_EQ(compare(kernels, processor()), "");
}

// Every length of a run and of a block's rest.
TEST_P(Llvm, AllSmallExtents) {
  std::vector<Kernel> kernels;
  for (std::int64_t extent = 1; extent <= 35; ++extent) {
    KernelMaker map("map", {2, extent}, {}, VectorAxis::outer, 16);
    const Affine at{0, {extent, 1}, {}};
    map.point();
    const ValueId x = map.load(map.read(DType::bf16), at);
    map.store(map.write(DType::f16), at,
              map.op(ScalarOp::add, x, map.load(map.read(DType::f16), at)));
    kernels.push_back(map.kernel());

    KernelMaker rows("rows", {3}, {2, extent}, VectorAxis::inner);
    rows.loop();
    const Affine row{0, {2 * extent}, {extent, 1}};
    const ValueId y = rows.load(rows.read(DType::f32), row);
    const ValueId sum = rows.reduce(ScalarOp::add, y);
    const ValueId most = rows.reduce(ScalarOp::maximum, y);
    rows.point();
    rows.store(rows.write(DType::f32), {0, {1}, {}}, rows.op(ScalarOp::add, sum, most));
    kernels.push_back(rows.kernel());

    KernelMaker columns("columns", {extent * 4}, {3}, VectorAxis::outer, 64);
    columns.loop();
    const ValueId z = columns.load(columns.read(DType::f32), {0, {1}, {extent * 4}});
    const ValueId total = columns.reduce(ScalarOp::add, z);
    columns.point();
    columns.store(columns.write(DType::f32), {0, {1}, {}}, total);
    kernels.push_back(columns.kernel());
  }
  EXPECT_EQ(compare(kernels, processor()), "");
}

// Roots that are added up, and divided by their sum: rows along the vectors and across, of whole
// strips and what is left, and some that are too long to be kept.
Kernel shares_of_roots(std::int64_t length, VectorAxis axis, DType dtype, bool side_by_side) {
  constexpr std::int64_t kRows = 53;
  const Affine at = side_by_side ? Affine{0, {kRows * length, length}, {1}}
                                 : Affine{0, {kRows * length, 1}, {kRows}};
  KernelMaker maker("shares", {2, kRows}, {length}, axis, axis == VectorAxis::inner ? 1 : 32);
  const int in = maker.read(dtype);
  const auto root = [&](double more) {
    const ValueId x = maker.load(in, at);
    const ValueId square = maker.op(ScalarOp::mul, x, x);
    const ValueId moved = maker.op(ScalarOp::add, square, maker.constant(dtype, more));
    return maker.op(ScalarOp::sqrt, moved);
  };
  const auto rest = [&](ValueId x) {
    return maker.op(ScalarOp::mod, x, maker.constant(dtype, 0.75));
  };
  maker.loop();
  const ValueId most = maker.reduce(ScalarOp::maximum, root(0));
  const ValueId least = maker.reduce(ScalarOp::minimum, root(1));
  maker.loop();
  const ValueId sum = maker.reduce(ScalarOp::add, rest(root(0)));
  maker.loop();
  const ValueId again = root(0);
  const ValueId share = maker.op(ScalarOp::div, rest(again), sum);
  maker.store(maker.write(dtype), at, maker.op(ScalarOp::sub, share, most));
  const ValueId other = root(1);
  maker.store(maker.write(dtype), at, maker.op(ScalarOp::sub, other, least));
  maker.store(maker.write(dtype), at, again);
  return maker.kernel();
}

TEST_P(Llvm, RowsThatLaterLoopsNeedAgain) {
  std::vector<Kernel> kernels;
  for (const std::int64_t length : {2, 7, 8, 16, 31, 32, 33, 64, 200, 1025, 9000}) {
    for (const DType dtype : {DType::f32, DType::f64}) {
      if (dtype == DType::f64 && length > 1000) continue;
      kernels.push_back(shares_of_roots(length, VectorAxis::inner, dtype, true));
      kernels.push_back(shares_of_roots(length, VectorAxis::outer, dtype, false));
      if (length > kLongestShortRow) continue;
      kernels.push_back(shares_of_roots(length, VectorAxis::outer, dtype, true));
    }
  }
  EXPECT_EQ(compare(kernels, processor()), "");
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST(LlvmText, ComputesOnceWhatTakesLong) {
  const auto roots = [&](std::int64_t length) {
    const Kernel kernel = shares_of_roots(length, VectorAxis::inner, DType::f32, true);
    return count_of(native::llvm_text(kernel), "call <16 x float> @llvm.sqrt");
  };
  // Two for each vector of the first loop's steps, of which it takes two together.
  EXPECT_EQ(roots(1024), 4U);
  EXPECT_EQ(roots(10240), 6U) << "of a row of 40 KiB one value is kept";
  EXPECT_EQ(roots(32 * 1024), 7U) << "rows that are longer than what is kept";
}

// Vectors of elements that lie a few apart, or backwards, up to the last one that there is.
TEST_P(Llvm, ElementsShortStepsApart) {
  std::vector<Kernel> kernels;
  for (const std::int64_t stride : {-3, -2, -1, 2, 3, 4, 5}) {
    for (const DType dtype : {DType::f32, DType::f64, DType::u8, DType::bf16}) {
      constexpr std::int64_t kExtent = 53;
      const std::int64_t first = stride < 0 ? -stride * (kExtent - 1) : 0;
      KernelMaker map("map", {2, kExtent}, {}, VectorAxis::outer, 64);
      map.point();
      const ValueId x =
          map.load(map.read(dtype), {first, {std::abs(stride) * kExtent, stride}, {}});
      map.store(map.write(dtype), {0, {kExtent, 1}, {}}, x);
      kernels.push_back(map.kernel());

      KernelMaker rows("rows", {2}, {kExtent}, VectorAxis::inner);
      rows.loop();
      const ValueId y =
          rows.load(rows.read(dtype), {first, {std::abs(stride) * kExtent}, {stride}});
      const ValueId most = rows.reduce(ScalarOp::maximum, y);
      rows.point();
      rows.store(rows.write(dtype), {0, {1}, {}}, most);
      kernels.push_back(rows.kernel());
    }
  }
  EXPECT_EQ(compare(kernels, processor()), "");
}

// Minima and maxima of long runs have several partial results.
TEST_P(Llvm, LongRuns) {
  std::vector<Kernel> kernels;
  for (const std::int64_t extent : {128, 200, 255, 513}) {
    for (const DType dtype : {DType::f32, DType::f64, DType::i32, DType::u8}) {
      KernelMaker maker("runs", {3}, {extent}, VectorAxis::inner);
      maker.loop();
      const ValueId x = maker.load(maker.read(dtype), {0, {extent}, {1}});
      const ValueId least = maker.reduce(ScalarOp::minimum, x);
      const ValueId most = maker.reduce(ScalarOp::maximum, x);
      maker.point();
      maker.store(maker.write(dtype), {0, {1}, {}}, least);
      maker.store(maker.write(dtype), {0, {1}, {}}, most);
      kernels.push_back(maker.kernel());
    }
  }
  EXPECT_EQ(compare(kernels, processor()), "");
}

// Rounded numbers, whose sum is another in another order, with a maximum beside them.
TEST_P(Llvm, LongSumsAreAddedInChunks) {
  std::vector<Kernel> kernels;
  const auto add = [&](std::vector<std::int64_t> inner, VectorAxis axis) {
    const bool rows = axis == VectorAxis::inner;
    constexpr std::int64_t kOuter = 20;
    KernelMaker maker("sums", {rows ? 2 : kOuter}, inner, axis, rows ? 1 : 32);
    maker.loop();
    Affine at{0, {1}, std::vector<std::int64_t>(inner.size())};
    std::int64_t stride = rows ? 1 : kOuter;
    for (std::size_t i = inner.size(); i-- > 0; stride *= inner[i]) at.inner[i] = stride;
    if (rows) at.outer[0] = stride;
    const ValueId x = maker.cast(maker.load(maker.read(DType::i32), at), DType::f32);
    const ValueId sum = maker.reduce(ScalarOp::add, x);
    const ValueId most = maker.reduce(ScalarOp::maximum, x);
    maker.point();
    maker.store(maker.write(DType::f32), {0, {1}, {}}, sum);
    maker.store(maker.write(DType::f32), {0, {1}, {}}, most);
    kernels.push_back(maker.kernel());
  };
  for (const std::int64_t extent : {1024, 1025, 2048, 3001}) add({extent}, VectorAxis::outer);
  add({2, 1500}, VectorAxis::outer);
  add({1500, 3}, VectorAxis::outer);
  for (const std::int64_t rounds : {1024, 1025, 2100}) {
    for (const std::int64_t rest : {0, 1, 15}) add({rounds * kLanes + rest}, VectorAxis::inner);
  }
  add({2, 1500 * kLanes + 3}, VectorAxis::inner);
  add({700, 2 * kLanes + 1}, VectorAxis::inner);
  EXPECT_EQ(compare(kernels, processor()), "");
}

// In each place of a vector: only its first lane, none of its first ones, none at all.
TEST_P(Llvm, LoadsWithinBoundsAlone) {
  std::vector<Kernel> kernels;
  for (const std::int64_t begin : {0, 1, 4, 12, 17}) {
    for (const std::int64_t count : {1, 3, 6}) {
      const std::int64_t extent = begin + count + 2;
      const std::vector<Bound> of_loop = {
          {.inner = true, .axis = 0, .begin = begin, .end = begin + count}};
      KernelMaker rows("rows", {5}, {extent}, VectorAxis::inner);
      rows.loop();
      const ValueId x = rows.load_within(rows.read(DType::f32), {-begin, {count}, {1}}, of_loop, 7);
      rows.store(rows.write(DType::f32), {0, {extent}, {1}}, x);
      const ValueId sum = rows.reduce(ScalarOp::add, x);
      rows.point();
      rows.store(rows.write(DType::f32), {0, {1}, {}}, sum);
      kernels.push_back(rows.kernel());

      for (const DType dtype : {DType::bf16, DType::f32, DType::f64, DType::i32, DType::i64}) {
        KernelMaker map("map", {3, extent}, {}, VectorAxis::outer, 16);
        map.point();
        const std::vector<Bound> of_map = {
            {.inner = false, .axis = 0, .begin = 1, .end = 3},
            {.inner = false, .axis = 1, .begin = begin, .end = begin + count}};
        const ValueId y =
            map.load_within(map.read(dtype), {-begin - count, {count, 1}, {}}, of_map, 1);
        map.store(map.write(dtype), {0, {extent, 1}, {}}, y);
        kernels.push_back(map.kernel());
      }
    }
  }
  EXPECT_EQ(compare(kernels, processor()), "");
}

// One value, which is another index where it is read without a sign.
TEST_P(Llvm, LoadsByIndicesWithASignAndWithout) {
  std::vector<Kernel> kernels;
  for (const auto& [own, other] : {std::pair(DType::i32, DType::u32), {DType::i64, DType::u64}}) {
    for (const bool swapped : {false, true}) {
      KernelMaker maker("signs", {40}, {}, VectorAxis::outer, 16);
      maker.point();
      const ValueId with = maker.op(ScalarOp::sub, maker.load(maker.read(own), {0, {1}, {}}),
                                    maker.constant(own, 100));
      const ValueId without = maker.cast(with, other);
      const int table = maker.read(DType::f32);
      const auto taken = [&](ValueId index) {
        return maker.load_at(table, {0, {0}, {}}, {index}, {{.most = 9, .stride = 1}});
      };
      const ValueId first = taken(swapped ? without : with);
      const ValueId second = taken(swapped ? with : without);
      maker.store(maker.write(DType::f32), {0, {1}, {}}, maker.op(ScalarOp::sub, first, second));
      kernels.push_back(maker.kernel());
    }
  }
  EXPECT_EQ(compare(kernels, processor()), "");
}

// Parts side by side along the axis, each from a buffer of its own: which one it is, is asked by
// the comparison. Behind them the axis goes on without bounds.
ValueId concat_of(KernelMaker& maker, const std::vector<std::int64_t>& sizes, bool in_loop,
                  ScalarOp comparison) {
  const bool narrow = comparison == ScalarOp::lt || comparison == ScalarOp::le;
  const Affine place = {-1, {0, 1}, {0}};
  ValueId index = maker.index(place);
  if (narrow) index = maker.cast(index, DType::i32);
  std::int64_t begin = 0;
  for (const std::int64_t size : sizes) begin += size;
  ValueId out = -1;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    begin -= sizes[i];
    const std::int64_t end = begin + sizes[i];
    const Affine at =
        in_loop ? Affine{-begin, {0, 1}, {sizes[i]}} : Affine{-begin, {sizes[i], 1}, {}};
    const ValueId part = maker.load_within(
        maker.read(DType::f32), at, {{.inner = false, .axis = 1, .begin = begin, .end = end}},
        static_cast<double>(i));
    const ValueId own = maker.op(ScalarOp::mul, part, maker.constant(DType::f32, 1.5));
    if (out < 0) {
      out = own;
      continue;
    }
    // place = index - 1 is below end - 1 in this part.
    const bool below = comparison == ScalarOp::lt || comparison == ScalarOp::le;
    const bool last = comparison == ScalarOp::le || comparison == ScalarOp::gt;
    const auto limit = static_cast<double>(end - 1 - (last ? 1 : 0));
    const ValueId here =
        maker.op(comparison, index, maker.constant(narrow ? DType::i32 : DType::i64, limit));
    out = below ? maker.op(ScalarOp::select, here, own, out)
                : maker.op(ScalarOp::select, here, out, own);
  }
  return out;
}

TEST_P(Llvm, PartsAlongTheAxis) {
  std::vector<Kernel> kernels;
  constexpr std::array kComparisons = {ScalarOp::lt, ScalarOp::le, ScalarOp::gt, ScalarOp::ge};
  const std::vector<std::vector<std::int64_t>> splits = {
      {32, 32, 32, 32}, {16, 48}, {10, 70}, {1, 64, 1}, {20, 40, 7}, {128}, {3, 60, 3, 60}, {5, 6}};
  std::size_t number = 0;
  for (const std::vector<std::int64_t>& sizes : splits) {
    std::int64_t extent = 0;
    for (const std::int64_t size : sizes) extent += size;
    for (const std::int64_t block : {16, 64, 256}) {
      for (const std::int64_t more : {0, 2}) {
        const ScalarOp comparison = kComparisons[number++ % kComparisons.size()];
        KernelMaker map("map", {3, extent + more}, {}, VectorAxis::outer, block);
        map.point();
        const ValueId x = concat_of(map, sizes, false, comparison);
        map.store(map.write(DType::f32), {0, {extent + more, 1}, {}}, x);
        kernels.push_back(map.kernel());

        KernelMaker columns("columns", {1, extent + more}, {5}, VectorAxis::outer, block);
        columns.loop();
        const ValueId y = concat_of(columns, sizes, true, comparison);
        columns.store(columns.write(DType::f32), {0, {0, 1}, {extent + more}}, y);
        const ValueId sum = columns.reduce(ScalarOp::add, y);
        columns.point();
        columns.store(columns.write(DType::f32), {0, {0, 1}, {}}, sum);
        kernels.push_back(columns.kernel());
      }
    }
  }
  EXPECT_EQ(compare(kernels, processor()), "");
}

// What a section does not need is not there.
TEST(LlvmText, OfAPartHasNoOthers) {
  KernelMaker maker("gates", {4, 64}, {}, VectorAxis::outer, 64);
  maker.point();
  maker.store(maker.write(DType::f32), {0, {64, 1}, {}},
              concat_of(maker, {32, 32}, false, ScalarOp::lt));
  const std::string text = native::llvm_text(maker.kernel());
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("masked.load")));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("select")));
}

TEST(LlvmText, IsReadable) {
  KernelMaker maker("add one", {64}, {}, VectorAxis::outer, 64);
  const Affine at{0, {1}, {}};
  maker.point();
  const ValueId x = maker.load(maker.read(DType::f32), at);
  maker.store(maker.write(DType::f32), at,
              maker.op(ScalarOp::add, x, maker.constant(DType::f32, 1)));
  const std::string name = "add_one_" + kernel_hash(maker.kernel()).text().substr(0, 8);
  EXPECT_THAT(native::llvm_text(maker.kernel()),
              testing::AllOf(testing::HasSubstr("define void @" + name + "(ptr"),
                             testing::HasSubstr("load <16 x float>")));
  EXPECT_THAT(native::assembly_text(maker.kernel()), testing::HasSubstr(name + ":"));
}

TEST(LlvmCompile, RefusesABrokenKernel) {
  Kernel broken = KernelMaker("broken", {3}, {}, VectorAxis::outer, 0).kernel();
  const Kernel* const kernels[] = {&broken};
  EXPECT_THROW(native::compile(kernels), InternalError);
  EXPECT_THROW(native::llvm_text(broken), InternalError);
}

TEST(LlvmCompile, TakesEqualKernelsAndNone) {
  const Kernel kernel = KernelMaker("nothing", {3}, {}, VectorAxis::outer, 16).kernel();
  const Kernel* const kernels[] = {&kernel, &kernel};
  EXPECT_EQ(native::compile(kernels).size(), 2U);
  EXPECT_EQ(native::compile(std::span<const Kernel* const>()).size(), 0U);
}

}  // namespace
}  // namespace tutti::codegen::llvm_kernel_test

#endif
