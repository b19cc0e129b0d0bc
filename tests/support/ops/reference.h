#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/ops/table.h"
#include "tests/support/run_graph.h"

// The reference files of tests/reference: what PyTorch and NumPy say that the ops and their
// gradients give.
namespace tutti::test {

struct ReferenceCase {
  std::string name;  // "corners": special numbers, whose zeros must have the right sign
  DType dtype = DType::f32;
  std::vector<ir::Attribute> attributes;  // complete
  bool ir_only = false;                   // the user's function does not take these attributes
  std::vector<Array> operands;
  std::vector<Array> results;
  // Of the results that have one; empty if no gradient is known.
  std::vector<std::optional<Array>> cotangents;
  std::vector<std::optional<Array>> gradients;  // [operand]

  bool has_corners() const { return name.starts_with("corners"); }
  bool has_gradient() const { return !cotangents.empty(); }
};

// The ops that have files, by name.
std::vector<std::string> reference_ops();
// Throws UsageError if the IR has no such op.
std::vector<ReferenceCase> reference_cases(const std::string& op);
// The row of the table of an op, for its user's function.
const OpRow& row_of(ir::Op op);

// One number of a graph that a file knows: a case's result or gradient.
struct ReferenceValue {
  const ReferenceCase* of = nullptr;
  const Array* expected = nullptr;
  std::string what;  // "result 0", "gradient of operand 1"

  std::string describe() const;
};

// The wanted ones of an op's cases as one function of the IR, with their gradients.
struct ReferenceGraph {
  ir::Graph graph;
  std::vector<Array> inputs;
  std::vector<ReferenceValue> values;  // of the graph's results

  ReferenceGraph(ir::Op op, const std::vector<ReferenceCase>& cases, Device device,
                 const std::function<bool(const ReferenceCase&)>& wanted);
};

// Whether a value is what the file says, within the tolerance of its dtype.
testing::AssertionResult agrees(const Array& actual, const ReferenceValue& value);

}  // namespace tutti::test
