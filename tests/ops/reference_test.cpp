// Every op, dtype and gradient against what PyTorch and NumPy gave: the files of tests/reference.

#include <tutti/ir/interpret/interpret.h>
#include <tutti/lazy/context.h>

#include <map>
#include <set>

#include "tests/ops/reference_agreement.h"
#include <gmock/gmock.h>

namespace tutti::test::reference_test {
namespace {

// Neither library has a say in these: nothing is computed, or more than one rank or device takes
// part, or the numbers are those of Philox (tests/ir/philox_test.cpp has its known answers), or
// functions are run (what JAX says of loops is in tests/reference/data/jax).
bool has_no_reference(const ir::Definition& definition) {
  static const std::set<ir::Op> kOwn = {
      ir::Op::parameter,  ir::Op::constant, ir::Op::to_device,       ir::Op::vary,
      ir::Op::rank_index, ir::Op::fold_in,  ir::Op::random_bits,     ir::Op::uniform,
      ir::Op::normal,     ir::Op::size,     ir::Op::custom_gradient, ir::Op::observe,
  };
  return kOwn.contains(definition.op) || definition.kind == ir::OpClass::collective ||
         definition.kind == ir::OpClass::wait || definition.kind == ir::OpClass::control;
}

TEST(Reference, HasEveryOp) {
  const std::vector<std::string> ops = reference_ops();
  for (const ir::Definition& definition : ir::definitions()) {
    if (has_no_reference(definition)) continue;
    EXPECT_THAT(ops, testing::Contains(definition.name)) << "tests/reference has no files";
  }
}

class EveryReference : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    ASSERT_TRUE(ir::op_from_name(GetParam())) << "the IR has no such op";
    op = *ir::op_from_name(GetParam());
    cases = reference_cases(GetParam());
    for (const ReferenceCase& use : cases) dtypes.insert(use.dtype);
  }

  ir::Op op = ir::Op::parameter;
  std::vector<ReferenceCase> cases;
  std::set<DType> dtypes;
};

TEST_P(EveryReference, HasAllDTypesGradientsAndCorners) {
  std::set<DType> with_gradient;
  std::set<DType> with_corners;
  for (const ReferenceCase& use : cases) {
    if (use.has_gradient()) with_gradient.insert(use.dtype);
    if (use.has_corners() || op == ir::Op::cast || op == ir::Op::bitcast) {
      with_corners.insert(use.dtype);
    }
  }
  for (const OpRow& row : table()) {
    if (row.op != op) continue;
    for (const DType dtype : row.dtypes) {
      // PyTorch and NumPy compute nothing with floats of 8 bits.
      if (is_narrow_floating(dtype) && size_of(dtype) == 1) continue;
      EXPECT_TRUE(dtypes.contains(dtype)) << name_of(dtype);
      if (ir::definition(op).kind == ir::OpClass::elementwise) {
        EXPECT_TRUE(with_corners.contains(dtype)) << name_of(dtype) << " has no corners";
      }
      const bool differentiable =
          row.gradient == HasGradient::yes || row.gradient == HasGradient::zero;
      if (differentiable && is_floating(dtype)) {
        EXPECT_TRUE(with_gradient.contains(dtype)) << name_of(dtype) << " has no gradient";
      }
    }
  }
}

TEST_P(EveryReference, IsWhatTheInterpreterGives) {
  const ReferenceGraph all(op, cases, Device::cpu(), [](const ReferenceCase&) { return true; });
  expect_agreement(ir::interpret(all.graph, all.inputs), all.values, "interpreted");
}

// The corners, and of the other cases of each dtype the first and every third; reference_slow.cpp
// has all.
TEST_P(EveryReference, IsWhatKernelsGive) {
  std::map<DType, int> seen;
  std::set<const ReferenceCase*> some;
  for (const ReferenceCase& use : cases) {
    if (use.has_corners() || seen[use.dtype]++ % 3 == 0) some.insert(&use);
  }
  expect_host_agreement(GetParam(), cases,
                        [&](const ReferenceCase& use) { return some.contains(&use); });
}

TEST_P(EveryReference, IsWhatTheUsersFunctionGivesEagerly) {
  const OpRow& row = row_of(op);
  detail::RankContext& context = detail::RankContext::current();
  context.eager = true;
  for (const ReferenceCase& use : cases) {
    if (use.ir_only) continue;
    // Machine code of each takes longer to make than to run; the test of modes has all of it.
    context.compile_options.kernel_mode =
        use.dtype == DType::f32 ? codegen::kDefaultKernelMode : codegen::KernelMode::evaluate;
    const Attributes named(ir::definition(op).attributes, use.attributes);
    std::vector<Tensor> operands;
    for (const Array& operand : use.operands) operands.push_back(from(operand));
    const Tensor result = row.call(operands, named);
    EXPECT_TRUE(result.state()->is_data());
    expect_agreement({result.array()}, {{&use, use.results.data(), "result 0"}}, "eager");
    if (!use.has_gradient()) continue;

    std::vector<Tensor> wrt;
    std::vector<ReferenceValue> values;
    for (std::size_t x = 0; x < operands.size(); ++x) {
      if (!use.gradients[x]) continue;
      wrt.push_back(operands[x]);
      values.push_back({&use, &*use.gradients[x], "gradient of operand " + std::to_string(x)});
    }
    const Tensor cotangent = from(*use.cotangents[0]);
    const auto weighted = [&](const std::vector<Tensor>& leaves) {
      std::vector<Tensor> inner = operands;
      std::size_t next = 0;
      for (std::size_t x = 0; x < inner.size(); ++x) {
        if (use.gradients[x]) inner[x] = leaves[next++];
      }
      return sum(row.call(inner, named) * cotangent);
    };
    std::vector<Array> gradients;
    for (const Tensor& gradient : grad(weighted)(wrt)) gradients.push_back(gradient.array());
    expect_agreement(gradients, values, "eager");
  }
  context.eager = false;
  context.compile_options.kernel_mode = codegen::kDefaultKernelMode;
}

INSTANTIATE_TEST_SUITE_P(Files, EveryReference, testing::ValuesIn(reference_ops()),
                         [](const auto& op) { return op.param; });

}  // namespace
}  // namespace tutti::test::reference_test
