#include <tutti/codegen/conv_layout.h>
#include <tutti/kernels/host/convolution.h>

#include <optional>

namespace tutti::codegen {

namespace {

using ir::NodeId;
using ir::Op;

// Fewer would leave most of a vector empty.
constexpr std::int64_t kLeastOutputs = 8;

bool may_be_stored_so(const ir::Graph& graph, NodeId conv) {
  const Shape& weight = graph.type(graph.operand(conv, 1)).shape;
  const Shape& result = graph.type(graph.result(conv)).shape;
  return graph.attributes(conv).integer("groups") == 1 && weight[0] >= kLeastOutputs &&
         result.elements() * (weight.elements() / weight[0]) > kernels::kSmallConvolution;
}

}  // namespace

ConvLayouts find_conv_layouts(const ir::Graph& graph) {
  struct Use {
    NodeId first;
    std::uint32_t count;
  };
  std::map<ir::Value, std::optional<Use>> uses;  // by transposes alike; nothing: by others, too
  for (NodeId id = 0; id < graph.node_count(); ++id) {
    const ir::Node& node = graph.node(id);
    if (node.op == Op::conv && may_be_stored_so(graph, id)) {
      uses[graph.result(id)] = Use{.first = 0, .count = 0};
    }
    if (node.op != Op::transpose) continue;
    const auto found = uses.find(graph.operand(id, 0));
    if (found == uses.end() || !found->second) continue;
    Use& use = *found->second;
    if (use.count == 0) use.first = id;
    const auto& permutation = graph.attributes(id).integers("permutation");
    const bool alike = permutation == graph.attributes(use.first).integers("permutation");
    if (permutation.back() != 1 || !alike) found->second.reset();
    if (found->second) ++use.count;
  }
  ConvLayouts out;
  if (uses.empty()) return out;
  const std::vector<std::uint32_t> all = count_uses(graph);
  for (const auto& [value, use] : uses) {
    if (!use || use->count == 0 || use->count != all[value.id]) continue;
    const auto& permutation = graph.attributes(use->first).integers("permutation");
    const auto strides = graph.type(graph.result(use->first)).shape.strides();
    std::array<std::int64_t, Shape::kMaxRank> own{};
    for (std::size_t d = 0; d < permutation.size(); ++d) {
      own[static_cast<std::size_t>(permutation[d])] = strides[d];
    }
    out[graph.producer(value)] = own;
  }
  return out;
}

}  // namespace tutti::codegen
