#include "tests/codegen/lowered_kernels.h"

#include <tutti/codegen/host_target.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/passes/passes.h>

#include <utility>

namespace tutti::codegen::kernel_testing {

std::vector<Kernel> lowered(const std::string& function) {
  ir::Graph graph = ir::parse("// tutti ir 1\n\n" + function).functions.at(0);
  ir::run_passes(graph);
  const Views views(graph);
  std::vector<bool> stored(graph.value_count(), false);
  for (const ir::Value value : graph.results()) stored[views[value].base.id] = true;
  std::vector<ir::NodeId> members;
  for (ir::NodeId id = 0; id < graph.node_count(); ++id) {
    if (graph.node(id).fusion >= 0) members.push_back(id);
  }
  std::vector<Kernel> kernels;
  for (LoweredKernel& part : lower_group(graph, members, views, stored, {}, host_target())) {
    kernels.push_back(std::move(part.kernel));
  }
  return kernels;
}

}  // namespace tutti::codegen::kernel_testing
