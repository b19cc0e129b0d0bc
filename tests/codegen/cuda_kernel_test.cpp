// CUDA C++ of kernels, on the emulator, against the reference evaluator.

#include <tutti/codegen/cuda/emit_kernel.h>
#include <tutti/codegen/cuda/mapping.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/codegen/cuda_run.h"
#include "tests/codegen/cuda_samples.h"
#include <gmock/gmock.h>
#include <sys/mman.h>

namespace tutti::codegen::cuda_kernel_test {
namespace {

using ir::ScalarOp;
using namespace kernel_testing;  // NOLINT: the helpers of this folder

cuda::Mapping mapping_of(const Kernel& kernel) {
  return cuda::choose_mapping(cuda::prepared(kernel));
}

cuda::Mapping::Kind kind_of(const Kernel& kernel) { return mapping_of(kernel).kind; }

TEST(CudaKernel, RandomKernelsGiveTheSameBits) {
  constexpr std::array kKinds = {cuda::Mapping::Kind::points, cuda::Mapping::Kind::rows,
                                 cuda::Mapping::Kind::columns};
  std::map<cuda::Mapping::Kind, int> kinds;
  std::mt19937 random(1);
  std::vector<Kernel> kernels;
  // What is drawn depends on the compiler's order of evaluation.
  const auto enough = [&] {
    return kernels.size() >= 60 &&
           std::ranges::all_of(kKinds, [&](cuda::Mapping::Kind kind) { return kinds[kind] > 3; });
  };
  while (!enough() && kernels.size() < 300) {
    kernels.push_back(without_float_sums(random_kernel(random)));
    ++kinds[kind_of(kernels.back())];
  }
  EXPECT_TRUE(enough()) << kernels.size();
  EXPECT_EQ(CudaKernels(kernels).difference(), "");
}

// Every length of a run and of what is left of it.
TEST(CudaKernel, AllSmallExtents) {
  std::vector<Kernel> kernels;
  for (std::int64_t extent = 1; extent <= 35; ++extent) {
    kernels.push_back(map_of(extent, DType::bf16, DType::f16));
    kernels.push_back(rows_of(3, extent, DType::i32, ScalarOp::add, extent % 2 == 0 ? 0 : 40));
    if (extent % 2 == 0) continue;
    kernels.push_back(columns_of(4 * extent, 3, DType::i32, ScalarOp::add));
  }
  EXPECT_EQ(CudaKernels(kernels).difference(), "");
}

// Nine rows of a table, each at an index of its own, written or added up.
Kernel taken_rows(std::int64_t columns, DType dtype, DType index, bool reduces) {
  const auto axis = reduces ? VectorAxis::inner : VectorAxis::outer;
  KernelMaker maker("taken", reduces ? Strides{9} : Strides{9, columns},
                    reduces ? Strides{columns} : Strides{}, axis, reduces ? 1 : kLanes);
  const int indices = maker.read(index);
  const int table = maker.read(dtype);
  const int out = maker.write(ir::compute_dtype(dtype));
  const Affine row = reduces ? Affine{.offset = 0, .outer = {1}, .inner = {0}}
                             : Affine{.offset = 0, .outer = {1, 0}, .inner = {}};
  const Affine column = reduces ? Affine{.offset = 0, .outer = {0}, .inner = {1}}
                                : Affine{.offset = 0, .outer = {0, 1}, .inner = {}};
  reduces ? maker.loop() : maker.point();
  const ValueId at = maker.load(indices, row);
  ValueId value = maker.load_at(table, column, {at}, {{.most = 20, .stride = columns}});
  if (reduces) {
    value = maker.reduce(ScalarOp::maximum, value);
    maker.point();
  }
  maker.store(out,
              reduces ? Affine{.offset = 0, .outer = {1}, .inner = {}}
                      : Affine{.offset = 0, .outer = {columns, 1}, .inner = {}},
              value);
  return maker.kernel();
}

TEST(CudaKernel, RowsAtIndicesAreMovedTogetherWhereAllAreAligned) {
  std::vector<Kernel> kernels;
  for (const bool reduces : {false, true}) {
    EXPECT_EQ(mapping_of(taken_rows(64, DType::f32, DType::i64, reduces)).lanes, 4);
    EXPECT_EQ(mapping_of(taken_rows(66, DType::f32, DType::i64, reduces)).lanes, 2);
    EXPECT_EQ(mapping_of(taken_rows(65, DType::f32, DType::i64, reduces)).lanes, 1);
    for (const std::int64_t columns : {64, 65, 66}) {
      for (const DType index :
           {DType::i8, DType::u8, DType::i32, DType::u32, DType::i64, DType::u64}) {
        kernels.push_back(taken_rows(columns, DType::f32, index, reduces));
      }
      kernels.push_back(taken_rows(columns, DType::bf16, DType::i32, reduces));
    }
  }
  EXPECT_EQ(CudaKernels(kernels).difference(), "");
}

TEST(CudaKernel, ElementsAreMovedTogetherWhereTheyAreAligned) {
  EXPECT_EQ(mapping_of(map_of(64, DType::f32, DType::f32)).lanes, 4);
  EXPECT_EQ(mapping_of(map_of(64, DType::bf16, DType::f16)).lanes, 8);
  EXPECT_EQ(mapping_of(map_of(64, DType::bf16, DType::f32)).lanes, 4);
  EXPECT_EQ(mapping_of(map_of(64, DType::f64, DType::f64)).lanes, 2);
  EXPECT_EQ(mapping_of(map_of(66, DType::f32, DType::f32)).lanes, 2);
  EXPECT_EQ(mapping_of(map_of(65, DType::f32, DType::f32)).lanes, 1);
  EXPECT_EQ(mapping_of(map_of(64, DType::f32, DType::f32, 2)).lanes, 2);
  EXPECT_EQ(mapping_of(map_of(64, DType::f32, DType::f32, 5)).lanes, 1);
  std::vector<Kernel> kernels;
  for (const std::int64_t offset : {1, 2, 3, 4, 8}) {
    for (const DType dtype : {DType::u8, DType::i16, DType::f32, DType::i64}) {
      kernels.push_back(map_of(64, dtype, dtype, offset));
    }
  }
  EXPECT_EQ(CudaKernels(kernels).difference(), "");
}

// Teams of every size: lanes of a warp, warps of a block.
TEST(CudaKernel, LongRows) {
  std::vector<Kernel> kernels;
  for (const std::int64_t extent : {48, 128, 513, 4096}) {
    kernels.push_back(rows_of(3, extent, DType::f32, ScalarOp::minimum));
    kernels.push_back(rows_of(5, extent, DType::i16, ScalarOp::add));
    kernels.push_back(rows_of(600, extent / 16, DType::i64, ScalarOp::add));
  }
  EXPECT_EQ(CudaKernels(kernels).difference(), "");
}

TEST(CudaKernel, LoopsOfFewPointsAreDividedIntoParts) {
  std::vector<Kernel> kernels;
  for (const DType dtype : {DType::f32, DType::i64}) {
    const ScalarOp combine = is_floating(dtype) ? ScalarOp::maximum : ScalarOp::add;
    kernels.push_back(columns_of(33, 3000, dtype, combine));
    kernels.push_back(columns_of(3, 5000, dtype, combine));
    kernels.push_back(totals_of(2, 20000, dtype, combine));
  }
  for (const Kernel& kernel : kernels) EXPECT_GT(mapping_of(kernel).parts, 1) << print(kernel);
  EXPECT_EQ(CudaKernels(kernels).difference(), "");
}

TEST(CudaKernel, TransposesGoThroughSharedMemory) {
  std::vector<Kernel> kernels;
  for (const DType dtype : {DType::f32, DType::bf16, DType::boolean, DType::f64}) {
    kernels.push_back(turned(32, 64, dtype));
    kernels.push_back(turned(33, 31, dtype));
    kernels.push_back(turned(70, 45, dtype, true));
  }
  // Two axes around another one.
  KernelMaker maker("turned", {40, 3, 50}, {}, VectorAxis::outer, 16);
  maker.point();
  maker.store(maker.write(DType::i32), {0, {150, 50, 1}, {}},
              maker.load(maker.read(DType::i32), {0, {1, 40, 120}, {}}));
  kernels.push_back(maker.kernel());
  for (const Kernel& kernel : kernels) {
    EXPECT_EQ(kind_of(kernel), cuda::Mapping::Kind::tiles) << print(kernel);
  }
  EXPECT_EQ(CudaKernels(kernels).difference(), "");
}

TEST(CudaKernel, TransposesThatSharedMemoryHasNoRoomFor) {
  const auto sum_of = [](int floats, int truths) {
    KernelMaker maker("turned", {16, 64}, {}, VectorAxis::outer, 16);
    maker.point();
    ValueId sum = maker.constant(DType::f32, 0);
    const Affine turned{0, {1, 16}, {}};
    for (int i = 0; i < floats + truths; ++i) {
      const DType dtype = i < floats ? DType::f32 : DType::boolean;
      const ValueId x = maker.load(maker.read(dtype), turned);
      sum = maker.op(ScalarOp::add, sum, i < floats ? x : maker.cast(x, DType::f32));
    }
    maker.store(maker.write(DType::f32), {0, {64, 1}, {}}, sum);
    return maker.kernel();
  };
  EXPECT_EQ(kind_of(sum_of(11, 0)), cuda::Mapping::Kind::tiles);
  EXPECT_EQ(kind_of(sum_of(11, 3)), cuda::Mapping::Kind::points);
}

// Everybody of a team reads what its first thread overwrites.
TEST(CudaKernel, RowsMayRunInPlace) {
  std::vector<Kernel> kernels;
  for (const std::int64_t extent : {3, 20, 200, 3000}) {
    for (const VectorAxis axis : {VectorAxis::inner, VectorAxis::outer}) {
      const bool rows = axis == VectorAxis::inner;
      KernelMaker maker("in_place", {33}, {extent}, axis, rows ? 1 : 48);
      maker.point();
      const ValueId old = maker.load(maker.read(DType::i32), {0, {1}, {}});
      maker.loop();
      const Affine at = rows ? Affine{0, {extent}, {1}} : Affine{0, {1}, {33}};
      const ValueId x = maker.op(ScalarOp::mul, maker.load(maker.read(DType::i32), at), old);
      const ValueId sum = maker.reduce(ScalarOp::add, x);
      maker.point();
      maker.store(maker.write(DType::i32), {0, {1}, {}}, maker.op(ScalarOp::sub, sum, old));
      kernels.push_back(maker.kernel());
    }
  }
  EXPECT_EQ(CudaKernels(kernels).difference(), "");
}

// Memory that is all there, but takes none until it is written.
class Sparse {
 public:
  explicit Sparse(std::size_t bytes)
      : bytes_(bytes),
        data_(
            static_cast<std::uint8_t*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))) {}
  Sparse(const Sparse&) = delete;
  Sparse& operator=(const Sparse&) = delete;
  ~Sparse() { munmap(data_, bytes_); }
  std::uint8_t& operator[](std::int64_t i) { return data_[i]; }
  void* data() { return data_; }

 private:
  std::size_t bytes_;
  std::uint8_t* data_;
};

TEST(CudaKernel, IndicesMayNeedSixtyFourBits) {
  constexpr std::int64_t kFar = (std::int64_t{1} << 31) + 6;
  KernelMaker maker("far", {3}, {2}, VectorAxis::outer, 16);
  maker.loop();
  const ValueId x = maker.load(maker.read(DType::u8), {kFar,
                                                       {
                                                           -kFar / 2,
                                                       },
                                                       {kFar}});
  const ValueId sum = maker.reduce(ScalarOp::add, x);
  maker.point();
  maker.store(maker.write(DType::u8), {0, {kFar}, {}}, sum);
  maker.store(maker.write(DType::i64), {0, {1}, {}}, maker.index({-1, {kFar}, {}}));
  const CudaKernels kernels({maker.kernel()});
  Sparse from(static_cast<std::size_t>(2 * kFar + 1));
  Sparse to(static_cast<std::size_t>(2 * kFar + 1));
  std::int64_t numbers[3] = {};
  for (std::int64_t i = 0; i <= 4; ++i) from[i * kFar / 2] = static_cast<std::uint8_t>(1 << i);
  kernels.run(0, {from.data(), to.data(), numbers}, {.find_races = false});
  EXPECT_EQ(to[0], 4 + 16);
  EXPECT_EQ(to[kFar], 2 + 8);
  EXPECT_EQ(to[2 * kFar], 1 + 4);
  EXPECT_THAT(numbers, testing::ElementsAre(-1, kFar - 1, 2 * kFar - 1));
}

TEST(CudaKernel, IndicesOfNeighboursMayNeedSixtyFourBits) {
  constexpr std::int64_t kFar = 1'000'000'000;
  KernelMaker maker("far", {4}, {}, VectorAxis::outer, 16);
  maker.point();
  const ValueId far = maker.cast(maker.index({0, {kFar}, {}}), DType::f32);
  const ValueId x = maker.load(maker.read(DType::f32), {0, {1}, {}});
  maker.store(maker.write(DType::f32), {0, {1}, {}}, maker.op(ScalarOp::add, far, x));
  ASSERT_EQ(mapping_of(maker.kernel()).lanes, 4);
  EXPECT_EQ(CudaKernels({maker.kernel()}).difference(), "");
}

TEST(CudaKernel, MorePointsThanThirtyTwoBitsCount) {
  constexpr std::int64_t kColumns = std::int64_t{1} << 31;
  const Kernel kernel = map_of(kColumns, DType::u8, DType::u8);
  const cuda::Source source = cuda::emit_kernel(kernel);
  EXPECT_THAT(source.text, testing::HasSubstr("const u64 p = u64(blockIdx.x) * 256"));
  EXPECT_EQ(std::int64_t{source.grid[0]} * source.block[0] * mapping_of(kernel).lanes,
            3 * kColumns);
}

TEST(CudaKernel, IndicesOfTilesMayNeedSixtyFourBits) {
  const std::string text = cuda::emit_kernel(turned(1 << 16, 1 << 16, DType::f32)).text;
  EXPECT_THAT(text, testing::HasSubstr("const i64 t1 = u64(blockIdx.x) / 2048ULL % 2048ULL * 32;"));
  EXPECT_THAT(text, testing::HasSubstr("const i64 t2 = u64(blockIdx.x) % 2048ULL * 32;"));
}

TEST(CudaKernel, EmptyLoopsAndEmptyKernels) {
  std::vector<Kernel> kernels;
  kernels.push_back(rows_of(3, 0, DType::f32, ScalarOp::add));
  kernels.push_back(rows_of(0, 5, DType::f32, ScalarOp::add));
  kernels.push_back(columns_of(5, 0, DType::i64, ScalarOp::mul));
  kernels.push_back(columns_of(0, 5, DType::i64, ScalarOp::mul));
  kernels.push_back(map_of(0, DType::f32, DType::f32));
  kernels.push_back(KernelMaker("nothing", {3}, {}, VectorAxis::outer, 16).kernel());
  EXPECT_EQ(CudaKernels(kernels).difference(), "");
}

// A thread that has a loop to itself adds as the host does, to the same bits: rounded numbers, with
// a maximum beside them. What is stored twice keeps the loop with one thread.
TEST(CudaKernel, LongSumsAreAddedInChunks) {
  std::vector<Kernel> kernels;
  const auto add = [&](const std::vector<std::int64_t>& inner) {
    constexpr std::int64_t kOuter = 20;
    KernelMaker maker("sums", {kOuter}, inner, VectorAxis::outer, 32);
    maker.loop();
    Affine at{0, {1}, std::vector<std::int64_t>(inner.size())};
    std::int64_t stride = kOuter;
    for (std::size_t i = inner.size(); i-- > 0; stride = stride * inner[i] + kOuter) {
      at.inner[i] = stride;  // with a gap, so that axes do not become one
    }
    const ValueId x = maker.cast(maker.load(maker.read(DType::i32), at), DType::f32);
    const ValueId sum = maker.reduce(ScalarOp::add, x);
    const ValueId most = maker.reduce(ScalarOp::maximum, x);
    maker.point();
    const int to = maker.write(DType::f32);
    maker.store(to, {0, {1}, {}}, sum);
    maker.store(to, {kOuter, {1}, {}}, most);
    kernels.push_back(maker.kernel());
    EXPECT_EQ(mapping_of(kernels.back()).team, 1);
  };
  for (const std::int64_t extent : {1024, 1025, 2048, 3001}) add({extent});
  add({2, 1500});
  add({1500, 3});
  const CudaKernels all(kernels);
  const auto has_chunks = [&](std::size_t i) {
    return all.source(i).text.find("for (u32 chunk = 0; chunk < ") != std::string::npos;
  };
  EXPECT_FALSE(has_chunks(0));
  for (std::size_t i = 1; i < kernels.size(); ++i) EXPECT_TRUE(has_chunks(i)) << i;
  EXPECT_EQ(all.difference(), "");
}

TEST(CudaKernel, TeamsAddLongSumsInChunks) {
  struct Case {
    VectorAxis axis;
    std::int64_t outer, extent;
    std::string loop;
  };
  const std::vector<Case> cases = {
      {VectorAxis::inner, 1, 8 * 1024 * 129, "for (u32 chunk = 0; chunk < 129U; chunk += 128U)"},
      {VectorAxis::inner, 1, 1024 * 1024 + 3,
       "for (u32 chunk = threadIdx.x; chunk < 131073U; chunk += 131072U)"},
      {VectorAxis::outer, 3, 140'003,
       "for (u32 chunk = threadIdx.y; chunk < 140003U; chunk += 131072U)"}};
  std::vector<Kernel> kernels;
  for (const Case& each : cases) {
    const bool rows = each.axis == VectorAxis::inner;
    KernelMaker maker("sum", {each.outer}, {each.extent}, each.axis, rows ? 1 : 16);
    const Affine at = rows ? Affine{0, {each.extent}, {1}} : Affine{0, {1}, {each.outer}};
    const int from = maker.read(DType::i8);
    maker.loop();
    const ValueId sum = maker.reduce(ScalarOp::add, maker.cast(maker.load(from, at), DType::f32));
    maker.loop();  // reads it again, so that the loop has no parts
    const ValueId x = maker.cast(maker.load(from, at), DType::f32);
    const ValueId most = maker.reduce(ScalarOp::maximum, maker.op(ScalarOp::sub, x, sum));
    maker.point();
    maker.store(maker.write(DType::f32), {0, {1}, {}}, sum);
    maker.store(maker.write(DType::f32), {0, {1}, {}}, most);
    kernels.push_back(maker.kernel());
  }
  const CudaKernels all(kernels);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto& [axis, outer, extent, loop] = cases[i];
    EXPECT_THAT(all.source(i).text, testing::HasSubstr(loop));
    std::vector<std::int8_t> values(static_cast<std::size_t>(outer * extent));
    std::vector<float> expected(static_cast<std::size_t>(outer));
    for (std::size_t k = 0; k < values.size(); ++k) {
      values[k] = static_cast<std::int8_t>(k * k % 251 % 7 - 3);
      expected[k % expected.size()] += values[k];  // whole numbers: exact
    }
    std::vector<float> sums(expected.size());
    std::vector<float> mosts(expected.size());
    all.run(i, {values.data(), sums.data(), mosts.data()}, {.find_races = false});
    EXPECT_EQ(sums, expected);
    for (std::size_t k = 0; k < sums.size(); ++k) EXPECT_EQ(mosts[k], 3 - expected[k]);
  }
}

TEST(CudaKernel, SumsOfWholeNumbersAreExact) {
  std::vector<Kernel> kernels;
  for (const std::int64_t extent : {7, 64, 1000, 20000}) {
    KernelMaker maker("sum", {2}, {extent}, VectorAxis::inner);
    maker.loop();
    const ValueId x = maker.load(maker.read(DType::i8), {0, {extent}, {1}});
    const ValueId sum = maker.reduce(ScalarOp::add, maker.cast(x, DType::f32));
    const ValueId product = maker.reduce(
        ScalarOp::mul, maker.op(ScalarOp::select, maker.op(ScalarOp::lt, x, x),
                                maker.cast(x, DType::f64), maker.constant(DType::f64, 1)));
    maker.point();
    maker.store(maker.write(DType::f32), {0, {1}, {}}, sum);
    maker.store(maker.write(DType::f64), {0, {1}, {}}, product);
    kernels.push_back(maker.kernel());
  }
  EXPECT_EQ(CudaKernels(kernels).difference(), "");
}

}  // namespace
}  // namespace tutti::codegen::cuda_kernel_test
