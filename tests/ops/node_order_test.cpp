#include <tutti/ir/builder.h>
#include <tutti/ir/gradient.h>
#include <tutti/ir/passes/passes.h>

#include "tests/support/golden.h"
#include "tests/support/ops/uses.h"

namespace tutti::test::node_order_test {
namespace {

// The last of the row's floating-point dtypes, where it has one, since that has a gradient. Rows
// have two cases for each dtype but the first.
DType dtype_of(const OpRow& row) {
  DType last = row.dtypes.back();
  for (const DType dtype : row.dtypes) {
    if (is_floating(dtype)) last = dtype;
  }
  return last;
}

// "softmax <hash> gradient <hash>" of what all passes make of a row's cases, and of these with
// their gradients.
std::string line_of(const OpRow& row) {
  const Uses uses(row, dtype_of(row));
  std::vector<Array> inputs;
  const auto hash_of = [](ir::Graph graph) {
    ir::run_passes(graph);
    return " " + ir::structural_hash(graph).text();
  };
  ir::Graph graph = graph_of(row, std::span(&uses, 1), Device::cpu(), inputs);
  std::string line = std::string(ir::name_of(row.op)) + hash_of(graph);
  const bool has_gradient = row.gradient == HasGradient::yes || row.gradient == HasGradient::zero;
  if (!has_gradient) return line + "\n";
  ir::Builder builder(graph);
  const std::vector<ir::Value> results(graph.results().begin(), graph.results().end());
  std::vector<ir::Value> wrt;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const ir::Value operand = graph.parameters()[i].value;
    if (is_floating(graph.type(operand).dtype)) wrt.push_back(operand);
  }
  graph.set_results(ir::vjp(builder, results, results, wrt));
  return line + " gradient" + hash_of(std::move(graph)) + "\n";
}

// Two calls in one expression that each add a node are evaluated in an order that every compiler
// chooses for itself. Where a rule does so, builds disagree on what programs look like, and ranks
// of two builds on what they call.
TEST(NodeOrder, IsTheSameWhateverCompilerBuiltTheRules) {
  std::string lines;
  for (const OpRow* const row : local_rows()) lines += line_of(*row);
  EXPECT_TRUE(matches_golden(lines, "ops/golden/node_order.txt"));
}

}  // namespace
}  // namespace tutti::test::node_order_test
