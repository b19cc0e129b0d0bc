#include <tutti/codegen/cuda/library.h>
#include <tutti/codegen/cuda/matmul_text.h>
#include <tutti/codegen/cuda/nvrtc.h>
#include <tutti/codegen/cuda/sort.h>

#include "tests/codegen/device_cases.h"
#include "tests/support/nvrtc.h"
#include <gmock/gmock.h>

namespace tutti::codegen::library_resources_test {
namespace {

using ir::Array;
using ir::Op;

using Integers = std::vector<std::int64_t>;

// An operand of which only the type matters.
test::Seen of(DType dtype, const Shape& shape) {
  test::Seen out;
  out.view = {.base = {}, .dtype = dtype, .shape = shape, .strides = shape.strides()};
  return out;
}

cuda::Source copy(DType dtype, const Shape& shape, const Integers& strides) {
  View view{.base = {}, .dtype = dtype, .shape = shape};
  std::copy(strides.begin(), strides.end(), view.strides.begin());
  return cuda::device_strided_copy(view);
}

// At least one of each kind of kernel, at the sizes of real models.
std::vector<cuda::Source> kernels() {
  constexpr DType kF32 = DType::f32;
  const test::Seen key = of(DType::u64, {});
  const std::int64_t huge = std::int64_t{1} << 31;
  std::vector<cuda::Source> out = {
      copy(kF32, Shape{2048, 1024}, {1, 2048}),
      copy(DType::bf16, Shape{2048, 1024}, {1, 2048}),
      copy(kF32, Shape{8, 128, 12, 64}, {98304, 64, 8192, 1}),
      copy(kF32, Shape{4, 1 << 30}, {huge, 2}),
      test::source_of(Op::concat, {of(kF32, {64, 128}), of(kF32, {64, 3})}, {std::int64_t{1}}),
      test::source_of(Op::pad, {of(DType::bf16, {8, 128, 768}), of(DType::bf16, {})},
                      {Integers{0, 0, 768}, Integers{0, 0, 768}, Integers{0, 0, 0}}),
      test::source_of(Op::pad, {of(kF32, {8, 127, 7}), of(kF32, {})},
                      {Integers{0, 1, 2}, Integers{0, 1, 0}, Integers{0, 2, 0}}),
      test::source_of(Op::take, {of(kF32, {50257, 768}), of(DType::i64, {16, 1024})},
                      {std::int64_t{0}}),
      test::source_of(Op::take_along_axis, {of(kF32, {16384, 50257}), of(DType::i64, {16384, 1})},
                      {std::int64_t{1}}),
      test::source_of(Op::fold_in, {key, of(DType::u64, {1000})}, {}),
      test::source_of(Op::random_bits, {key}, {Integers{1'000'000}}),
  };
  for (const DType dtype : {kF32, DType::bf16, DType::f64, DType::u8}) {
    for (const std::int64_t count : {10, 2048, 65536}) {
      out.push_back(test::source_of(
          Op::scatter_add,
          {of(dtype, {50257, 768}), of(DType::i64, {count}), of(dtype, {count, 768})},
          {std::int64_t{0}}));
    }
  }
  for (const DType dtype : {kF32, DType::f16, DType::u64}) {
    for (const auto& [shape, axis] :
         {std::pair(Shape{16, 50257}, 1), std::pair(Shape{4096, 500}, 1),
          std::pair(Shape{64, 50, 1000}, 1)}) {
      out.push_back(test::source_of(Op::argmax, {of(dtype, shape)}, {std::int64_t{axis}, false}));
    }
  }
  for (const DType dtype : {kF32, DType::bf16, DType::f64, DType::i8}) {
    for (const auto& [shape, axis] : {std::pair(Shape{64, 50257}, 1), std::pair(Shape{4096, 8}, 1),
                                      std::pair(Shape{64, 50, 1000}, 1)}) {
      const test::Seen x = of(dtype, shape);
      out.push_back(test::source_of(Op::cumsum, {x}, {std::int64_t{axis}, true}));
      out.push_back(test::source_of(Op::sort, {x}, {std::int64_t{axis}, true}));
      if (cuda::sorted_runs_bytes(x.view, axis) > 0) {
        out.push_back(cuda::sort_runs_source(x.view, axis, false));
      }
    }
    const test::Seen cache = of(dtype, {16, 12, 1024, 64});
    const test::Seen starts = of(DType::i64, {4});
    out.push_back(test::source_of(Op::dynamic_slice, {cache, starts}, {Integers{16, 12, 100, 64}}));
    out.push_back(
        test::source_of(Op::dynamic_update_slice, {cache, of(dtype, {16, 12, 1, 64}), starts}, {}));
    out.push_back(
        test::source_of(Op::dynamic_update_slice, {cache, of(dtype, {16, 3, 1, 7}), starts}, {}));
  }
  for (const DType dtype : {kF32, DType::bf16, DType::f64}) {
    out.push_back(test::source_of(Op::uniform, {key}, {dtype, Integers{1'000'000}}));
    out.push_back(test::source_of(Op::normal, {key}, {dtype, Integers{1'000'000}}));
  }
  for (const DType dtype : {kF32, DType::bf16, DType::f64, DType::i64, DType::i8}) {
    out.push_back(
        test::source_of(Op::matmul, {of(dtype, {8, 512, 768}), of(dtype, {768, 3072})}, {}));
  }
  out.push_back(
      cuda::matmul_source({.dtype = DType::bf16, .shape = Shape{512, 3072}},
                          {of(DType::bf16, {512, 768}).view, of(DType::bf16, {768, 3072}).view},
                          cuda::Epilogue::Kind::bias_gelu_tanh));
  return out;
}

class DeviceLibraryFor : public testing::TestWithParam<const char*> {};

TEST_P(DeviceLibraryFor, CompilesWithoutSpillsOrWarnings) {
  if (const std::string why = test::why_no_nvrtc(); !why.empty()) GTEST_SKIP() << why;
  for (const cuda::Source& source : kernels()) {
    const cuda::Compiled compiled = cuda::compile_source(source, GetParam());
    const std::string what = source.text.substr(source.text.rfind("\n// " + source.name + " "));
    EXPECT_EQ(compiled.use.spill_stores, 0) << what;
    EXPECT_EQ(compiled.use.spill_loads, 0) << what;
    EXPECT_LE(compiled.use.registers, 128) << what;
    EXPECT_LE(compiled.use.shared_bytes, 48 * 1024) << what;
    EXPECT_THAT(compiled.log, testing::Not(testing::HasSubstr("warning"))) << what;
  }
}

INSTANTIATE_TEST_SUITE_P(Gpus, DeviceLibraryFor, testing::Values("sm_80", "sm_90", "sm_100"));

}  // namespace
}  // namespace tutti::codegen::library_resources_test
