// Each scalar primitive of each dtype in machine code, on the corners of the dtype, against
// ir::evaluate: the same bits.

#include <tutti/codegen/driver/evaluate.h>
#include <tutti/codegen/llvm/compile_kernels.h>
#include <tutti/ir/support/error.h>

#include "tests/codegen/kernel_maker.h"
#include "tests/codegen/scalar_corners.h"
#include <gmock/gmock.h>

#if TUTTI_HAS_LLVM

namespace tutti::codegen::llvm_scalar_test {
namespace {

using ir::ScalarOp;
using namespace kernel_testing;  // NOLINT: the helpers of this folder

// z[i][j] = op(x[i], y[j], x[i]) for all pairs; nothing if the dtype has no such op.
std::optional<Kernel> all_pairs(ScalarOp op, DType dtype, DType to) {
  KernelMaker maker(std::string(ir::name_of(op)), {kCornerCount, kCornerCount}, {},
                    VectorAxis::outer, 64);
  const DType storage = dtype;
  const Affine row{0, {1, 0}, {}};
  const Affine column{0, {0, 1}, {}};
  maker.point();
  const ValueId x = maker.load(maker.read(storage), row);
  const ValueId y = maker.load(maker.read(storage), column);
  ValueId result = -1;
  if (op == ScalarOp::cast) {
    result = maker.cast(y, to);
  } else if (op == ScalarOp::bitcast) {
    result = maker.bitcast(y, storage, to);
  } else if (op == ScalarOp::select) {
    result = maker.op(op, maker.cast(y, DType::boolean), x, y);
  } else {
    const int operands = ir::operand_count(op);
    result = maker.op(op, y, operands > 1 ? x : -1, operands > 2 ? x : -1);
  }
  const bool converts = op == ScalarOp::cast || op == ScalarOp::bitcast;
  const DType stored = converts ? to : maker.type(result);
  maker.store(maker.write(stored), {0, {kCornerCount, 1}, {}}, result);
  try {
    check(maker.kernel());
  } catch (const InternalError&) {
    return std::nullopt;
  }
  return maker.kernel();
}

class LlvmScalar : public testing::TestWithParam<std::string> {};

TEST_P(LlvmScalar, AgreesWithTheInterpreter) {
  std::vector<Kernel> kernels;
  for (const DType dtype : kDTypes) {
    for (const ScalarOp op : kScalarOps) {
      // These are inline polynomials, and have tests of their own with a tolerance.
      if (ir::is_transcendental(op)) continue;
      const bool converts = op == ScalarOp::cast || op == ScalarOp::bitcast;
      for (const DType to : kDTypes) {
        // A byte that is neither 0 nor 1 is no bool, so that bits are not cast to it.
        if (op == ScalarOp::bitcast && to == DType::boolean) continue;
        if (auto kernel = all_pairs(op, dtype, to)) kernels.push_back(std::move(*kernel));
        if (!converts) break;
      }
    }
  }
  std::vector<const Kernel*> pointers;
  for (const Kernel& kernel : kernels) pointers.push_back(&kernel);
  const auto codes =
      native::compile(pointers, {.cpu = GetParam() == "host" ? "" : GetParam(), .features = ""});
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    Arguments wanted = make_arguments(kernels[i], 0);
    Arguments got = make_arguments(kernels[i], 0);
    fill_with_corners(kernels[i], wanted);
    fill_with_corners(kernels[i], got);
    run_all(*make_evaluator(kernels[i]), kernels[i], wanted);
    run_all(*codes[i], kernels[i], got);
    EXPECT_EQ(difference(kernels[i], wanted, got), "") << print(kernels[i]);
  }
}

INSTANTIATE_TEST_SUITE_P(Processors, LlvmScalar, testing::Values("host", "haswell", "nehalem"),
                         [](const auto& parameter) { return parameter.param; });

}  // namespace
}  // namespace tutti::codegen::llvm_scalar_test

#endif
