// Each scalar primitive of each dtype in machine code, on the corners of the dtype, against
// ir::evaluate: the same bits.

#include <tutti/codegen/evaluate.h>
#include <tutti/codegen/llvm/compile_kernels.h>
#include <tutti/ir/support/error.h>

#include <cmath>
#include <limits>

#include "tests/codegen/kernel_maker.h"
#include <gmock/gmock.h>

#if TUTTI_HAS_LLVM

namespace tutti::codegen {
namespace {

using ir::ScalarOp;
using namespace kernel_testing;  // NOLINT: the helpers of this folder

constexpr DType kDTypes[] = {
#define TUTTI_ENTRY(name, text, type) DType::name,
    TUTTI_DTYPES(TUTTI_ENTRY)
#undef TUTTI_ENTRY
};
constexpr ScalarOp kOps[] = {
#define TUTTI_ENTRY(name, operands) ScalarOp::name,
    TUTTI_SCALAR_OPS(TUTTI_ENTRY)
#undef TUTTI_ENTRY
};

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNumbers[] = {
    0.0,          -0.0,        1.0,         -1.0,       2.0,
    3.0,          7.0,         8.0,         -8.0,       15.0,
    16.0,         31.0,        32.0,        63.0,       64.0,
    127.0,        -128.0,      255.0,       256.0,      -129.0,
    32767.0,      -32768.0,    65535.0,     65536.0,    0.5,
    -0.5,         1.5,         2.5,         -2.5,       2147483647.,
    -2147483648., 4294967295., 4294967296., 9.2e18,     -9.3e18,
    1.8e19,       2e19,        kInfinity,   -kInfinity, std::numeric_limits<double>::quiet_NaN(),
    1e-45,        1e-40,       6e-8,        65504.0,    65520.0,
    3.4e38,       1e300,       -1e300,      0.1,        1.00390625,
    1.01171875,   -3.3e-39};
constexpr std::int64_t kCount = std::size(kNumbers);

// f32 functions that are inline polynomials have a test of their own, with a tolerance.
bool is_inline(ScalarOp op, DType dtype) {
  switch (op) {
    case ScalarOp::exp:
    case ScalarOp::exp2:
    case ScalarOp::expm1:
    case ScalarOp::log:
    case ScalarOp::log2:
    case ScalarOp::log1p:
    case ScalarOp::tanh:
    case ScalarOp::erf:
    case ScalarOp::sin:
    case ScalarOp::cos:
      return dtype == DType::f32;
    default:
      return false;
  }
}

// z[i][j] = op(x[i], y[j], x[i]) for all pairs; nothing if the dtype has no such op.
std::optional<Kernel> all_pairs(ScalarOp op, DType dtype, DType to) {
  KernelMaker maker(std::string(ir::name_of(op)), {kCount, kCount}, {}, VectorAxis::outer, 64);
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
  maker.store(maker.write(stored), {0, {kCount, 1}, {}}, result);
  try {
    check(maker.kernel());
  } catch (const InternalError&) {
    return std::nullopt;
  }
  return maker.kernel();
}

void fill_with_corners(const Kernel& kernel, Arguments& arguments) {
  for (std::size_t i = 0; i < kernel.buffers.size(); ++i) {
    const auto [dtype, written] = kernel.buffers[i];
    if (written) continue;
    for (std::size_t j = 0; j < kCount; ++j) {
      ir::store_cell(dtype, ir::cell_of(ir::compute_dtype(dtype), kNumbers[j]),
                     arguments.buffers[i].data() + j * static_cast<std::size_t>(size_of(dtype)));
    }
  }
}

class LlvmScalar : public testing::TestWithParam<std::string> {};

TEST_P(LlvmScalar, AgreesWithTheInterpreter) {
  std::vector<Kernel> kernels;
  for (const DType dtype : kDTypes) {
    for (const ScalarOp op : kOps) {
      if (op == ScalarOp::argument || op == ScalarOp::constant) continue;
      if (is_inline(op, ir::compute_dtype(dtype))) continue;
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

INSTANTIATE_TEST_SUITE_P(Targets, LlvmScalar, testing::Values("host", "haswell", "nehalem"),
                         [](const auto& parameter) { return parameter.param; });

}  // namespace
}  // namespace tutti::codegen

#endif
