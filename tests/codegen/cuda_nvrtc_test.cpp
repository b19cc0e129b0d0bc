// What NVRTC, the real compiler for GPUs, makes of the texts. It needs no GPU.

#include <tutti/codegen/cuda/emit_kernel.h>

#include <bit>
#include <cstdint>
#include <map>
#include <string>

#include "tests/codegen/cuda_samples.h"
#include "tests/codegen/named_kernels.h"
#include "tests/codegen/nvrtc_testing.h"
#include "tests/support/nvrtc.h"
#include <gmock/gmock.h>

#if TUTTI_HAS_CUDA

namespace tutti::codegen::cuda_nvrtc_test {
namespace {

using namespace kernel_testing;  // NOLINT: the helpers of this folder
using testing::HasSubstr;
using testing::Not;

class CudaNvrtc : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = test::why_no_nvrtc(); !why.empty()) GTEST_SKIP() << why;
  }
};

// How often each kind of access to global memory occurs in PTX: "ld.global.nc.v4.u32".
std::map<std::string, int> accesses(const std::string& ptx) {
  std::map<std::string, int> count;
  for (std::size_t at = 0; (at = ptx.find(".global", at)) != std::string::npos; ++at) {
    const std::size_t begin = ptx.find_last_of("\t ;\n", at) + 1;
    const std::string name = ptx.substr(begin, ptx.find_first_of(" \t", at) - begin);
    if (name.starts_with("ld.") || name.starts_with("st.")) ++count[name];
  }
  return count;
}

TEST_F(CudaNvrtc, KernelsOfRealProgramsKeepAllInRegisters) {
  for (const NamedKernel& named : named_kernels(Size::large)) {
    const cuda::Source source = cuda::emit_kernel(named.kernel);
    const cuda::Compiled compiled = cuda::compile_source(source, "sm_90");
    EXPECT_EQ(compiled.use.spill_stores, 0) << named.name;
    EXPECT_EQ(compiled.use.spill_loads, 0) << named.name;
    EXPECT_EQ(compiled.use.stack_bytes, 0) << named.name;
    EXPECT_LE(compiled.use.registers, 64) << named.name;
    EXPECT_LE(compiled.use.shared_bytes, 8 << 10) << named.name;
    EXPECT_THAT(compiled.log, Not(HasSubstr("warning"))) << named.name;
  }
}

TEST_F(CudaNvrtc, MemoryIsMovedSixteenBytesAtOnce) {
  const std::map<std::string, std::map<std::string, int>> expected = {
      // A row is read once: what the first loop loaded stays in registers.
      {"softmax", {{"ld.global.nc.v4.u32", 4}, {"st.global.v4.u32", 4}}},
      {"layer_norm", {{"ld.global.nc.v4.f32", 12}, {"st.global.v4.f32", 4}}},
      // It may run in place, so that what it overwrites is not read past the caches.
      {"bias_gelu", {{"ld.global.v4.u32", 1}, {"ld.global.nc.v4.u32", 1}, {"st.global.v4.u32", 1}}},
      {"adamw", {{"ld.global.v4.f32", 4}, {"ld.global.nc.f32", 1}, {"st.global.v4.f32", 3}}},
  };
  for (const NamedKernel& named : named_kernels(Size::large)) {
    const auto found = expected.find(named.name);
    if (found == expected.end()) continue;
    const cuda::Source source = cuda::emit_kernel(named.kernel);
    EXPECT_EQ(accesses(cuda::ptx_of(source, "sm_90")), found->second) << named.name;
  }
}

TEST_F(CudaNvrtc, CompilesSamplesOfEveryMapping) {
  // All of them for all GPUs are in cuda_kernels_slow.cpp.
  std::size_t next = 0;
  for (const Kernel& kernel : sample_kernels()) {
    const char* target = kTargets[next++ % std::size(kTargets)];
    EXPECT_EQ(nvrtc_refusal(kernel, target), "") << target << "\n" << print(kernel);
  }
}

TEST_F(CudaNvrtc, MultiplicationsAndAdditionsRoundOnTheirOwn) {
  KernelMaker maker("separate", {64}, {}, VectorAxis::outer, 64);
  const Affine at{0, {1}, {}};
  maker.point();
  const ValueId x = maker.load(maker.read(DType::f32), at);
  maker.store(maker.write(DType::f32), at,
              maker.op(ir::ScalarOp::add, maker.op(ir::ScalarOp::mul, x, x), x));
  maker.store(maker.write(DType::f32), at, maker.op(ir::ScalarOp::fma, x, x, x));
  const std::string ptx = cuda::ptx_of(cuda::emit_kernel(maker.kernel()), "sm_80");
  EXPECT_THAT(ptx, HasSubstr("mul.rn.f32"));
  EXPECT_THAT(ptx, HasSubstr("fma.rn.f32"));
  EXPECT_THAT(ptx, HasSubstr("add.rn.f32"));
}

// Its compiler reads decimals as g++ does: to the nearest number.
TEST_F(CudaNvrtc, ConstantsAreExact) {
  KernelMaker maker("constants", {1}, {}, VectorAxis::outer, 16);
  maker.point();
  const int out = maker.write(DType::f32);
  const float numbers[] = {0.1F, 1e-45F, 1.17549435e-38F, 3.4028235e38F, 0.7978846F, -2.5e-7F};
  for (std::size_t i = 0; i < std::size(numbers); ++i) {
    maker.store(out, {static_cast<std::int64_t>(i), {1}, {}},
                maker.constant(DType::f32, static_cast<double>(numbers[i])));
  }
  const std::string ptx = cuda::ptx_of(cuda::emit_kernel(maker.kernel()), "sm_90");
  for (const float number : numbers) {
    const std::string bits = std::to_string(std::bit_cast<std::int32_t>(number));
    EXPECT_THAT(ptx, HasSubstr(" " + bits + ";")) << number;
  }
}

}  // namespace
}  // namespace tutti::codegen::cuda_nvrtc_test

#endif
