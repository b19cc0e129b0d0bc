#pragma once

#include <tutti/ir/builder.h>
#include <tutti/ir/interpret/interpret.h>

#include <limits>
#include <vector>

#include "tests/support/run_graph.h"

// What the corner tests share: one op, its operands, and what it must give in every bit.
namespace tutti::test {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Where a floating-point dtype has none, they become NaN.
constexpr bool has_infinity(DType dtype) { return reach_of(dtype) == kInfinity; }

template <class T>
Array array_of(const std::vector<T>& values, const Shape& shape) {
  return Array::from(std::span<const T>(values), shape);
}
template <class T>
Array array_of(const std::vector<T>& values) {
  return array_of(values, {static_cast<std::int64_t>(values.size())});
}

// Numbers rounded to a floating-point dtype.
inline Array numbers(const std::vector<double>& values, DType dtype) {
  return visit_dtype(dtype, [&]<class T>(std::type_identity<T>) {
    std::vector<T> out;
    for (const double value : values) {
      if constexpr (std::is_same_v<T, double> || std::is_integral_v<T>) {
        out.push_back(static_cast<T>(value));
      } else {
        out.push_back(T(static_cast<float>(value)));
      }
    }
    if constexpr (std::is_same_v<T, bool>) {
      return Array();
    } else {
      return array_of(out);
    }
  });
}

// The op's result from the interpreter, which every mode must give as well, bit for bit but for
// NaNs.
inline Array result_of(ir::Op op, const std::vector<Array>& operands,
                       std::vector<ir::Attribute> attributes = {}) {
  ir::Graph graph{std::string(ir::name_of(op))};
  ir::Builder builder(graph);
  std::vector<ir::Value> values;
  for (const Array& operand : operands) {
    values.push_back(
        graph.add_parameter("x", {.dtype = operand.dtype(), .shape = operand.shape()}));
  }
  graph.set_results({builder.add(op, values, std::move(attributes))});
  const Array expected = ir::interpret(graph, operands)[0];
  for (const codegen::KernelMode mode : kernel_modes()) {
    EXPECT_TRUE(same_bits(run_compiled(graph, operands, mode)[0], expected))
        << ir::name_of(op) << " with mode " << name_of(mode);
  }
  return expected;
}

inline void expect_op(ir::Op op, const std::vector<Array>& operands, const Array& expected,
                      std::vector<ir::Attribute> attributes = {}) {
  EXPECT_TRUE(same_bits(result_of(op, operands, std::move(attributes)), expected))
      << ir::name_of(op) << ", interpreted";
}

}  // namespace tutti::test
