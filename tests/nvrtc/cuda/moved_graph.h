#pragma once

#include <tutti/ir/builder.h>
#include <tutti/ir/graph.h>

#include <vector>

namespace tutti::test {

// The same program with all that lay on the host on a GPU.
inline ir::Graph moved_to_gpu(const ir::Graph& graph) {
  ir::Graph out{graph.name};
  out.mesh = graph.mesh;
  out.default_device = Device::cuda();
  ir::Builder builder(out);
  std::vector<ir::Value> values(graph.value_count());
  for (const ir::Parameter& parameter : graph.parameters()) {
    ir::Type type = graph.type(parameter.value);
    if (type.device.is_cpu()) type.device = Device::cuda();
    values[parameter.value.id] = out.add_parameter(parameter.name, type);
  }
  for (ir::NodeId id = 0; id < graph.node_count(); ++id) {
    const ir::Node& node = graph.node(id);
    if (node.op == ir::Op::parameter) continue;
    std::vector<ir::Value> operands;
    for (const ir::Value operand : graph.operands(id)) operands.push_back(values[operand.id]);
    builder.at(node.location);
    const ir::NodeId made = builder.node(node.op, operands, node.attributes);
    for (std::uint32_t i = 0; i < node.result_count; ++i) {
      values[graph.result(id, i).id] = out.result(made, i);
    }
  }
  std::vector<ir::Value> results;
  for (const ir::Value result : graph.results()) results.push_back(values[result.id]);
  out.set_results(results);
  return out;
}

}  // namespace tutti::test
