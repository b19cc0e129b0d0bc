#include <tutti/codegen/conv_layout.h>
#include <tutti/ir/alike_transposes.h>
#include <tutti/kernels/host/convolution.h>

#include <vector>

namespace tutti::codegen {

namespace {

using ir::NodeId;
using ir::Op;

// Of a group: fewer would leave most of a vector empty.
constexpr std::int64_t kLeastOutputs = 8;

bool may_be_stored_so(const ir::Graph& graph, NodeId conv) {
  const Shape& weight = graph.type(graph.operand(conv, 1)).shape;
  const Shape& result = graph.type(graph.result(conv)).shape;
  return weight[0] / graph.attributes(conv).integer("groups") >= kLeastOutputs &&
         result.elements() * (weight.elements() / weight[0]) > kernels::kSmallConvolution;
}

}  // namespace

ConvLayouts find_conv_layouts(const ir::Graph& graph) {
  std::vector<ir::Value> values;
  for (NodeId id = 0; id < graph.node_count(); ++id) {
    if (graph.node(id).op == Op::conv && may_be_stored_so(graph, id)) {
      values.push_back(graph.result(id));
    }
  }
  ConvLayouts out;
  for (const auto& [value, transpose] : ir::alike_transposes(graph, values)) {
    const auto& permutation = graph.attributes(transpose).integers("permutation");
    if (permutation.back() != 1) continue;
    const auto strides = graph.type(graph.result(transpose)).shape.strides();
    std::array<std::int64_t, Shape::kMaxRank> own{};
    for (std::size_t d = 0; d < permutation.size(); ++d) {
      own[static_cast<std::size_t>(permutation[d])] = strides[d];
    }
    out[graph.producer(value)] = own;
  }
  return out;
}

}  // namespace tutti::codegen
