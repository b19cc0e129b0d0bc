#include <tutti/codegen/cuda/matmul_ways.h>
#include <tutti/runtime/run/open_accelerator.h>

#include <array>

#include "tests/codegen/matmul_cases.h"
#include "tests/fake_cuda/cublaslt/control.h"
#include "tests/support/fake_cuda.h"
#include "tests/support/fake_cuda_process.h"
#include <gtest/gtest.h>

// On the doubles of CUDA: what is done where cuBLASLt refuses.
namespace tutti::codegen::matmul_ways_test {
namespace {

using cuda::Epilogue;
using ir::Array;
using test::MatmulCase;

void refuse(const FakeCublasLtRefusals& what) {
  static constexpr std::array<std::string_view, 1> kNames = {"libcublasLt.so.13"};
  const std::array folders = {test::FakeCuda::folder()};
  const runtime::SharedLibrary library(folders, kNames);
  reinterpret_cast<decltype(&fake_cublaslt_refuse)>(library.symbol("fake_cublaslt_refuse"))(&what);
}

bool is_right(runtime::Accelerator& gpu, const runtime::DeviceCode& code, const MatmulCase& one,
              bool recorded = false) {
  std::vector<std::shared_ptr<runtime::Buffer>> buffers;
  std::vector<void*> places;
  for (const test::Seen& operand : one.buffers()) {
    const auto bytes = operand.storage.bytes();
    buffers.push_back(gpu.memory().allocate(bytes.size()));
    gpu.copy_in(buffers.back()->data(), bytes.data(), bytes.size());
    places.push_back(buffers.back()->data());
  }
  buffers.push_back(gpu.memory().allocate(static_cast<std::size_t>(one.result.bytes())));
  places.push_back(buffers.back()->data());
  const auto launch = [&] { code.launch(gpu, places.data()); };
  recorded ? gpu.record(launch)->replay() : launch();
  Array result(one.result.dtype, one.result.shape);
  gpu.copy_out(result.bytes().data(), buffers.back()->data(), result.bytes().size());
  return one.is_close(result, one.expected());
}

// All dtypes and epilogues, each twice: the second launch knows what the first one found.
bool all_are_right() {
  const auto gpu = runtime::open_accelerator(Device::cuda(0));
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    std::vector<MatmulCase> cases = {test::plain_matmul(dtype, {5, 30, 70})};
    for (const auto kind : test::kEpilogues) {
      cases.push_back(test::plain_matmul(dtype, {70, 33, 5}));
      cases.back().add_epilogue(kind);
    }
    for (const MatmulCase& one : cases) {
      const auto code =
          cuda::matmul_ways(runtime::CublasLt::process(), one.result, one.views(), one.epilogue);
      if (!is_right(*gpu, *code, one) || !is_right(*gpu, *code, one)) {
        std::cerr << one.text() << "\n";
        return false;
      }
    }
  }
  return true;
}

TEST(MatmulWays, AreTheLibrarysAsLongAsItRefusesNothing) {
  test::expect_with_fake_cuda("", [] { return all_are_right(); });
}

TEST(MatmulWays, DoTheEpilogueApart) {
  test::expect_with_fake_cuda("", [] {
    refuse({.epilogues = true, .algorithms = false, .launches = false});
    return all_are_right();
  });
}

TEST(MatmulWays, EndWithAKernelOfOurs) {
  for (const FakeCublasLtRefusals& what :
       {FakeCublasLtRefusals{.epilogues = false, .algorithms = true, .launches = false},
        FakeCublasLtRefusals{.epilogues = false, .algorithms = false, .launches = true}}) {
    test::expect_with_fake_cuda("", [&] {
      refuse(what);
      return all_are_right();
    });
  }
}

TEST(MatmulWays, AreNotGivenUpForWantOfMemory) {
  test::expect_with_fake_cuda("devices=1,memory=67108864", [] {
    const auto gpu = runtime::open_accelerator(Device::cuda(0));
    const MatmulCase one = test::plain_matmul(DType::f32, {5, 4096, 7});
    const auto code =
        cuda::matmul_ways(runtime::CublasLt::process(), one.result, one.views(), std::nullopt);
    std::vector<std::shared_ptr<runtime::Buffer>> all;
    try {
      for (;;) all.push_back(gpu->memory().allocate(std::size_t{64} << 10));
    } catch (const OutOfMemoryError&) {
      all.resize(all.size() - 8);  // enough for the operands, and for no workspace
    }
    testing::internal::CaptureStderr();
    const bool without = is_right(*gpu, *code, one);
    bool recorded = true;
    try {
      is_right(*gpu, *code, one, true);
    } catch (const OutOfMemoryError&) {
      recorded = false;  // the slower way would be there for good
    }
    all.clear();
    const bool with = is_right(*gpu, *code, one) && is_right(*gpu, *code, one, true);
    return testing::internal::GetCapturedStderr().empty() && without && !recorded && with;
  });
}

}  // namespace
}  // namespace tutti::codegen::matmul_ways_test
