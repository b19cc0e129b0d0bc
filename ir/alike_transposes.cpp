#include <tutti/ir/alike_transposes.h>

#include <optional>
#include <vector>

namespace tutti::ir {

std::map<Value, NodeId> alike_transposes(const Graph& graph, std::span<const Value> values) {
  struct Uses {
    NodeId first = kNoNode;
    std::uint32_t count = 0;
  };
  std::map<Value, Uses> uses;
  for (const Value value : values) uses.emplace(value, Uses());
  for (NodeId id = 0; id < graph.node_count() && !uses.empty(); ++id) {
    if (graph.node(id).op != Op::transpose) continue;
    const auto found = uses.find(graph.operand(id, 0));
    if (found == uses.end()) continue;
    Uses& use = found->second;
    if (use.count == 0) use.first = id;
    const auto permutation = [&](NodeId node) -> const auto& {
      return graph.attributes(node).integers("permutation");
    };
    if (permutation(id) == permutation(use.first)) {
      ++use.count;
    } else {
      uses.erase(found);
    }
  }
  std::map<Value, NodeId> out;
  if (uses.empty()) return out;
  const std::vector<std::uint32_t> all = count_uses(graph);
  for (const auto& [value, use] : uses) {
    if (use.count > 0 && use.count == all[value.id]) out.emplace(value, use.first);
  }
  return out;
}

}  // namespace tutti::ir
