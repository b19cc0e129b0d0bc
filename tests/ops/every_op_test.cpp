#include <tutti/ir/builder.h>
#include <tutti/ir/interpret/interpret.h>
#include <tutti/lazy/context.h>

#include <cmath>

#include "tests/support/ops/uses.h"
#include "tests/support/run_graph.h"
#include <gmock/gmock.h>

namespace tutti::test::every_op_test {
namespace {

// Every op has a row, and a row is an op's: there is no other list of ops than the IR's.
TEST(OpTable, HasEveryOp) {
  std::set<ir::Op> tested;
  for (const OpRow& row : table()) tested.insert(row.op);
  for (const ir::Definition& entry : ir::definitions()) {
    // What has functions has tests of its own, control_test.cpp in ir, codegen and lazy, and
    // custom_gradient_test.cpp; so has what prints or throws, observe_test.cpp in ir and lazy.
    if (entry.op == ir::Op::parameter || entry.kind == ir::OpClass::control) continue;
    if (entry.op == ir::Op::custom_gradient || entry.op == ir::Op::observe) continue;
    EXPECT_TRUE(tested.contains(entry.op)) << entry.name << " has no row in tests/support/ops";
  }
}

class EveryOp : public testing::TestWithParam<const OpRow*> {
 protected:
  const OpRow& row() const { return *GetParam(); }

  void expect_close(const std::vector<Array>& actual, const Uses& uses,
                    std::string_view how) const {
    for (std::size_t i = 0; i < uses.count(); ++i) {
      EXPECT_TRUE(close(actual[i], uses.expected[i], row().slack)) << how << ", case " << i;
    }
  }
  std::vector<Tensor> call(const Uses& uses,
                           const std::vector<std::vector<Tensor>>& operands) const {
    std::vector<Tensor> out;
    for (std::size_t i = 0; i < uses.count(); ++i) {
      out.push_back(row().call(operands[i], uses.named(row(), i)));
    }
    return out;
  }
};

std::vector<std::vector<Tensor>> tensors_of(const std::vector<std::vector<Array>>& arrays) {
  std::vector<std::vector<Tensor>> out(arrays.size());
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    for (const Array& array : arrays[i]) out[i].push_back(from(array));
  }
  return out;
}

std::vector<Array> arrays_of(const std::vector<Tensor>& tensors) {
  std::vector<Array> out;
  for (const Tensor& tensor : tensors) out.push_back(tensor.array());
  return out;
}

TEST_P(EveryOp, MeansTheSameToInterpreterAndEngines) {
  for (const DType dtype : row().dtypes) {
    SCOPED_TRACE(name_of(dtype));
    const Uses uses(row(), dtype);
    std::vector<Array> inputs;
    const ir::Graph graph = graph_of(row(), std::span(&uses, 1), Device::cpu(), inputs);
    expect_close(ir::interpret(graph, inputs), uses, "interpreted");
    for (const codegen::KernelMode mode : kernel_modes()) {
      expect_close(run_compiled(graph, inputs, mode), uses, name_of(mode));
    }
  }
}

TEST_P(EveryOp, IsTheSameEagerLazyAndCompiled) {
  for (const DType dtype : row().dtypes) {
    SCOPED_TRACE(name_of(dtype));
    const Uses uses(row(), dtype);
    const auto operands = tensors_of(uses.operands);
    const std::vector<Tensor> lazy = call(uses, operands);
    eval(lazy);
    expect_close(arrays_of(lazy), uses, "lazy");
    detail::RankContext::current().eager = true;
    const std::vector<Tensor> eager = call(uses, operands);
    for (const Tensor& tensor : eager) EXPECT_TRUE(tensor.state()->is_data());
    detail::RankContext::current().eager = false;
    expect_close(arrays_of(eager), uses, "eager");
    auto function =
        compile([&](const std::vector<std::vector<Tensor>>& x) { return call(uses, x); });
    expect_close(arrays_of(function(operands)), uses, "compiled");
  }
}

// The derivative of sum(weights * result) with respect to every element of every floating-point
// operand, by central differences of the oracle.
TEST_P(EveryOp, HasTheGradientOfItsOracle) {
  if (row().gradient == HasGradient::none) return;
  constexpr std::int64_t kMostElements = 400;
  for (const OpCase& use : row().cases) {
    const std::vector<Array> arrays = make_operands(row(), use, DType::f64);
    std::int64_t elements = 0;
    for (const Array& array : arrays) elements = std::max(elements, array.elements());
    const std::vector<ir::Attribute> attributes = row().complete(use);
    const Attributes named(ir::definition(row().op).attributes, attributes);
    if (elements > kMostElements || row().result_dtype(DType::f64, named) != DType::f64) continue;
    SCOPED_TRACE("operand 0 is " + arrays[0].shape().text());

    Plains plains;
    std::vector<Tensor> operands;
    std::vector<Tensor> wrt;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      plains.push_back(plain(arrays[i]));
      operands.push_back(from(arrays[i]));
      if (arrays[i].dtype() != DType::f64) continue;
      places.push_back(i);
      wrt.push_back(operands.back());
    }
    const Plain result = row().oracle(plains, named);
    Plain weights(result.shape);
    for (std::int64_t i = 0; i < result.shape.elements(); ++i)
      weights[i] = std::sin(1.0 + double(i));
    const Tensor weight = from(rounded(weights, DType::f64));
    const auto loss = [&](const std::vector<Tensor>& x) {
      std::vector<Tensor> all = operands;
      for (std::size_t i = 0; i < places.size(); ++i) all[places[i]] = x[i];
      return sum(row().call(all, named) * weight);
    };
    if (row().gradient == HasGradient::refused) {
      EXPECT_THROW(grad(loss)(wrt), TypeError);
      continue;
    }
    const std::vector<Tensor> gradients = grad(loss)(wrt);
    eval(gradients);
    for (std::size_t w = 0; w < wrt.size(); ++w) {
      Plain expected(wrt[w].shape());
      for (std::int64_t i = 0; i < expected.shape.elements(); ++i) {
        constexpr double kStep = 1e-5;
        double& x = plains[places[w]][i];
        const double before = x;
        const auto moved = [&](double to) {
          x = to;
          const Plain there = row().oracle(plains, named);
          double total = 0;
          for (std::int64_t n = 0; n < there.shape.elements(); ++n) total += there[n] * weights[n];
          return total;
        };
        expected[i] = (moved(before + kStep) - moved(before - kStep)) / (2 * kStep);
        x = before;
      }
      const Tolerance tolerance = {1e-5, 1e-5};  // differences are no better
      EXPECT_TRUE(within(gradients[w].array(), rounded(expected, DType::f64), tolerance))
          << "operand " << places[w];
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Table, EveryOp, testing::ValuesIn(local_rows()), row_name);

}  // namespace
}  // namespace tutti::test::every_op_test
