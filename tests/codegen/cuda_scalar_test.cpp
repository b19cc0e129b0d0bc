// Each scalar primitive of each dtype in CUDA C++, on the corners of the dtype, against
// ir::evaluate: the same bits.

#include <tutti/codegen/cuda/emit_scalar.h>
#include <tutti/codegen/driver/evaluate.h>
#include <tutti/ir/support/error.h>

#include <limits>

#include "tests/codegen/cuda_run.h"
#include "tests/codegen/cuda_samples.h"
#include "tests/codegen/scalar_corners.h"
#include <gmock/gmock.h>

namespace tutti::codegen::cuda_scalar_test {
namespace {

using ir::ScalarOp;
using namespace kernel_testing;  // NOLINT: the helpers of this folder

TEST(CudaScalar, AgreesWithTheInterpreter) {
  std::vector<Kernel> kernels;
  for (const DType dtype : kDTypes) kernels.push_back(all_ops(dtype));
  const CudaKernels cuda(kernels);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    Arguments wanted = make_arguments(kernels[i], 0, true, 16);
    Arguments got = make_arguments(kernels[i], 0, true, 16);
    fill_with_corners(kernels[i], wanted);
    fill_with_corners(kernels[i], got);
    run_all(*make_evaluator(kernels[i]), kernels[i], wanted);
    cuda.run(i, got.pointers());
    EXPECT_EQ(difference(kernels[i], wanted, got), "") << print(kernels[i]);
  }
}

// Every narrow float there is, widened; and every f32 near a number that rounds another way.
TEST(CudaScalar, NarrowFloatsAreExact) {
  std::vector<Kernel> kernels;
  for (const DType dtype : {DType::f8_e4m3fn, DType::f8_e5m2, DType::f16, DType::bf16}) {
    const std::int64_t count = std::int64_t{1} << (8 * size_of(dtype));
    KernelMaker maker("widen", {count}, {}, VectorAxis::outer, 64);
    maker.point();
    const DType bits_dtype = size_of(dtype) == 1 ? DType::u8 : DType::u16;
    const ValueId bits = maker.cast(maker.index({0, {1}, {}}), bits_dtype);
    const ValueId wide = maker.bitcast(bits, bits_dtype, dtype);
    maker.store(maker.write(DType::f32), {0, {1}, {}}, wide);
    // Halfway to the next one, and its neighbours.
    const ValueId word = maker.bitcast(wide, DType::f32, DType::u32);
    const int shift = 22 - mantissa_bits(dtype);
    for (const double around : {-1.0, 0.0, 1.0}) {
      const ValueId moved =
          maker.op(ScalarOp::add, word,
                   maker.constant(DType::u32, static_cast<double>(1 << shift) + around));
      maker.store(maker.write(dtype), {0, {1}, {}}, maker.bitcast(moved, DType::u32, DType::f32));
    }
    kernels.push_back(maker.kernel());
  }
  EXPECT_EQ(CudaKernels(kernels).difference(), "");
}

TEST(CudaScalar, ConstantsAreExact) {
  std::vector<Kernel> kernels;
  for (const DType dtype : kDTypes) {
    if (ir::compute_dtype(dtype) != dtype) continue;
    KernelMaker maker("constants", {1}, {}, VectorAxis::outer, 16);
    maker.point();
    const int out = maker.write(dtype);
    std::int64_t at = 0;
    for (const double number : kCorners) {
      maker.store(out, {at++, {1}, {}}, maker.constant(dtype, number));
    }
    kernels.push_back(maker.kernel());
  }
  EXPECT_EQ(CudaKernels(kernels).difference(), "");
}

TEST(CudaScalar, LiteralsHaveTheTypeOfTheirDtype) {
  const auto text = [](DType dtype, double number) {
    return cuda::literal(dtype, ir::cell_of(dtype, number));
  };
  EXPECT_EQ(text(DType::f32, 0.1), "0.1F");
  EXPECT_EQ(text(DType::f32, -2), "(-2.0F)");
  EXPECT_EQ(text(DType::f32, -0.0), "(-0.0F)");
  EXPECT_EQ(text(DType::f64, 1e300), "1e+300");
  EXPECT_EQ(text(DType::f32, std::numeric_limits<double>::infinity()), "bits_as<f32>(0x7f800000U)");
  EXPECT_EQ(text(DType::i8, -3), "i8(-3)");
  EXPECT_EQ(text(DType::i32, -3), "(-3)");
  EXPECT_EQ(text(DType::i32, -2147483648.0), "i32(-2147483648LL)");
  EXPECT_EQ(text(DType::i64, -9.3e18), "i64((-9223372036854775807LL - 1))");
  EXPECT_EQ(text(DType::u64, 2e19), "18446744073709551615ULL");
  EXPECT_EQ(text(DType::boolean, 1), "true");
}

TEST(CudaScalar, RefusesOpsThatADtypeLacks) {
  cuda::ScalarPrinter printer;
  EXPECT_THROW(printer.apply(ScalarOp::tanh, DType::i32, {"x", "", ""}, DType::i32), InternalError);
  EXPECT_THROW(printer.apply(ScalarOp::bit_not, DType::f32, {"x", "", ""}, DType::f32),
               InternalError);
}

}  // namespace
}  // namespace tutti::codegen::cuda_scalar_test
