#include "tests/support/ops/uses.h"

#include <algorithm>

namespace tutti::test {

Uses::Uses(const OpRow& row, DType dtype) {
  const std::size_t count = dtype == row.dtypes[0] ? row.cases.size() : std::size_t{2};
  for (std::size_t i = 0; i < std::min(count, row.cases.size()); ++i) {
    const OpCase& use = row.cases[i];
    attributes.push_back(row.complete(use));
    operands.push_back(make_operands(row, use, dtype));
    Plains plains;
    for (const Array& operand : operands.back()) plains.push_back(plain(operand));
    const Attributes use_attributes(ir::definition(row.op).attributes, attributes.back());
    expected.push_back(
        rounded(row.oracle(plains, use_attributes), row.result_dtype(dtype, use_attributes)));
  }
}

namespace {

// The op's result, or that of its results that the row is about. Several, of one dtype, follow one
// another, flat.
ir::Value record(ir::Builder& builder, const OpRow& row, std::span<const ir::Value> operands,
                 const std::vector<ir::Attribute>& attributes) {
  const ir::NodeId node = builder.node(row.op, operands, attributes);
  const std::uint32_t count = builder.graph().node(node).result_count;
  if (count == 1) return builder.graph().result(node);
  if (row.result_number) return builder.graph().result(node, *row.result_number);
  std::vector<ir::Value> flat;
  for (std::uint32_t i = 0; i < count; ++i) {
    const ir::Value result = builder.graph().result(node, i);
    const std::vector<std::int64_t> size = {builder.type(result).shape.elements()};
    flat.push_back(builder.add(ir::Op::reshape, {result}, {size}));
  }
  return builder.add(ir::Op::concat, flat, {std::int64_t{0}});
}

}  // namespace

ir::Graph graph_of(const OpRow& row, std::span<const Uses> uses, Device device,
                   std::vector<Array>& inputs) {
  ir::Graph graph{std::string(ir::name_of(row.op))};
  ir::Builder builder(graph);
  std::vector<std::vector<ir::Value>> operands;  // [case]
  for (const Uses& of_dtype : uses) {
    for (const std::vector<Array>& arrays : of_dtype.operands) {
      operands.emplace_back();
      for (const Array& array : arrays) {
        operands.back().push_back(graph.add_parameter(
            "x" + std::to_string(inputs.size()),
            {.dtype = array.dtype(), .shape = array.shape(), .device = device}));
        inputs.push_back(array);
      }
    }
  }
  std::vector<ir::Value> results;
  for (const Uses& of_dtype : uses) {
    for (const std::vector<ir::Attribute>& attributes : of_dtype.attributes) {
      const std::vector<ir::Value>& own = operands[results.size()];
      results.push_back(row.build ? row.build(builder, own, 0)
                                  : record(builder, row, own, attributes));
    }
  }
  graph.set_results(results);
  return graph;
}

std::vector<const OpRow*> local_rows() {
  std::vector<const OpRow*> out;
  for (const OpRow& row : table()) {
    if (!row.communicates()) out.push_back(&row);
  }
  return out;
}

std::string row_name(const testing::TestParamInfo<const OpRow*>& row) {
  return std::string(ir::name_of(row.param->op)) + "_" + std::to_string(row.index);
}

}  // namespace tutti::test
