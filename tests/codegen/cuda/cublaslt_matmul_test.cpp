#include <tutti/codegen/cuda/cublaslt_matmul.h>
#include <tutti/runtime/cuda/accelerator.h>

#include <array>

#include "tests/codegen/matmul_cases.h"
#include "tests/kernels/kernel_testing.h"
#include "tests/support/fake_cuda.h"
#include <gmock/gmock.h>

namespace tutti::codegen::cublaslt_matmul_test {
namespace {

using cuda::Epilogue;
using ir::Array;
using runtime::Buffer;
using runtime::CudaAccelerator;
using test::MatmulCase;
using testing::HasSubstr;

// On the doubles of the driver and of cuBLASLt.
class CublasLtMatmulTest : public testing::Test {
 protected:
  void TearDown() override {
    EXPECT_EQ(fake_.complaints(), "");
    EXPECT_EQ(fake_.left(), "");
  }

  static const runtime::CublasLt& library() {
    static const std::array folders = {test::FakeCuda::folder()};
    static constexpr std::array<std::string_view, 1> kNames = {"libcublasLt.so.13"};
    static const runtime::CublasLt library(runtime::SharedLibrary(folders, kNames));
    return library;
  }

  static std::shared_ptr<const runtime::DeviceCode> code_of(const MatmulCase& one) {
    const auto layout = cuda::matmul_layout(one.result, one.views());
    if (!layout) throw std::runtime_error("no layout of " + one.text());
    return cuda::cublaslt_matmul(library(), *layout, one.epilogue);
  }

  // The operands' and the result's memory.
  static std::vector<std::shared_ptr<Buffer>> buffers_of(CudaAccelerator& gpu,
                                                         const MatmulCase& one) {
    std::vector<std::shared_ptr<Buffer>> out;
    for (const test::Seen& operand : one.buffers()) {
      const auto bytes = operand.storage.bytes();
      out.push_back(gpu.memory().allocate(bytes.size()));
      gpu.copy_in(out.back()->data(), bytes.data(), bytes.size());
    }
    out.push_back(gpu.memory().allocate(static_cast<std::size_t>(one.result.bytes())));
    return out;
  }
  static void launch(CudaAccelerator& gpu, const runtime::DeviceCode& code,
                     const std::vector<std::shared_ptr<Buffer>>& buffers) {
    std::vector<void*> places;
    for (const auto& buffer : buffers) places.push_back(buffer->data());
    code.launch(gpu, places.data());
  }
  static Array result_in(CudaAccelerator& gpu, const Buffer& buffer, const ir::Type& type) {
    Array out(type.dtype, type.shape);
    gpu.copy_out(out.bytes().data(), buffer.data(), out.bytes().size());
    return out;
  }

  void check(CudaAccelerator& gpu, const MatmulCase& one) {
    const auto buffers = buffers_of(gpu, one);
    launch(gpu, *code_of(one), buffers);
    const Array result = result_in(gpu, *buffers.back(), one.result);
    EXPECT_TRUE(one.is_close(result, one.expected())) << one.text();
  }

  test::FakeCuda fake_;
};

std::vector<DType> multiplied() {
  std::vector<DType> out;
  for (const DType dtype : kernels::kernel_testing::floating_dtypes()) {
    if (cuda::cublaslt_multiplies(dtype)) out.push_back(dtype);
  }
  return out;
}

TEST_F(CublasLtMatmulTest, EveryDTypeAndLayout) {
  CudaAccelerator gpu(fake_.driver(), 0);
  for (const DType dtype : multiplied()) {
    for (const bool transpose_a : {false, true}) {
      for (const bool transpose_b : {false, true}) {
        check(gpu, test::plain_matmul(dtype, {70, 20, 65}, transpose_a, transpose_b));
        check(gpu, test::plain_matmul(dtype, {6, 600, 5}, transpose_a, transpose_b));
        for (const auto& sizes : test::kOddSizes) {
          check(gpu, test::plain_matmul(dtype, sizes, transpose_a, transpose_b));
        }
      }
    }
  }
}

TEST_F(CublasLtMatmulTest, Batches) {
  CudaAccelerator gpu(fake_.driver(), 0);
  for (const DType dtype : multiplied()) {
    for (const MatmulCase& one : test::batched_matmuls(dtype)) check(gpu, one);
  }
}

TEST_F(CublasLtMatmulTest, Epilogues) {
  CudaAccelerator gpu(fake_.driver(), 0);
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    for (const auto kind : test::kEpilogues) {
      MatmulCase one = test::plain_matmul(dtype, {5, 30, 70});
      one.add_epilogue(kind);
      check(gpu, one);
    }
  }
}

TEST_F(CublasLtMatmulTest, TellsTheLibraryHowOperandsAreAligned) {
  CudaAccelerator gpu(fake_.driver(), 0);
  // The double refuses what it was not told.
  const Array x = kernels::kernel_testing::random_array(DType::bf16, Shape{200});
  check(gpu, {.result = {.dtype = DType::bf16, .shape = Shape{5, 6}},
              .a = test::seen(x, Shape{5, 7}, {9, 1}, 3),
              .b = test::seen(x, Shape{7, 6}, {8, 1}, 32)});
}

TEST_F(CublasLtMatmulTest, LeavesTheCountersOfTheWorkspaceAlone) {
  CudaAccelerator gpu(fake_.driver(), 0);
  check(gpu, test::plain_matmul(DType::f32, {3, 600, 4}));  // with a workspace
  Array counters(DType::u8, Shape{static_cast<std::int64_t>(runtime::Accelerator::kCounterBytes)});
  const Array zeros = counters;
  gpu.copy_out(counters.bytes().data(), gpu.workspace(1), counters.bytes().size());
  EXPECT_EQ(counters, zeros);
}

TEST_F(CublasLtMatmulTest, IsRecorded) {
  CudaAccelerator gpu(fake_.driver(), 0);
  MatmulCase one = test::plain_matmul(DType::f32, {5, 600, 7});
  one.add_epilogue(Epilogue::Kind::bias);
  const auto code = code_of(one);
  const auto buffers = buffers_of(gpu, one);
  const auto recording = gpu.record([&] { launch(gpu, *code, buffers); });
  fake_.operations();
  recording->replay();
  const Array result = result_in(gpu, *buffers.back(), one.result);
  EXPECT_TRUE(one.is_close(result, one.expected()));
  EXPECT_THAT(fake_.operations(), HasSubstr("cublasLtMatmul f32 5x600x7 batch 1 epilogue 4"));
}

TEST_F(CublasLtMatmulTest, OneCodeServesSeveralAccelerators) {
  const MatmulCase one = test::plain_matmul(DType::f32, {5, 30, 7});
  const auto code = code_of(one);
  for (int round = 0; round < 2; ++round) {
    CudaAccelerator first(fake_.driver(), 0);
    CudaAccelerator second(fake_.driver(), 0);
    for (CudaAccelerator* const gpu : {&first, &second}) {
      const auto buffers = buffers_of(*gpu, one);
      launch(*gpu, *code, buffers);
      EXPECT_TRUE(one.is_close(result_in(*gpu, *buffers.back(), one.result), one.expected()));
    }
  }
}

TEST_F(CublasLtMatmulTest, ARefusalNamesTheProduct) {
  CudaAccelerator gpu(fake_.driver(), 0);
  const MatmulCase one = test::plain_matmul(DType::f32, {5, 30, 7});
  auto layout = *cuda::matmul_layout(one.result, one.views());
  layout.a.leading = 3;
  try {
    cuda::cublaslt_matmul(library(), layout, std::nullopt);
    FAIL() << "rows that reach into each other";
  } catch (const EnvironmentError& error) {
    EXPECT_THAT(error.what(), HasSubstr("multiplying f32 5x30x7, batch 1"));
  }
}

}  // namespace
}  // namespace tutti::codegen::cublaslt_matmul_test
