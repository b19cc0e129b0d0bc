#include <tutti/codegen/driver/disabled_passes.h>
#include <tutti/ir/function.h>
#include <tutti/ir/support/error.h>

#include <algorithm>
#include <string_view>

namespace tutti::codegen {

namespace {

bool is_disabled(const std::vector<std::string>& disabled, std::string_view pass) {
  return std::ranges::find(disabled, pass) != disabled.end();
}

// Of one function; says whether it changed it.
bool stand_in(ir::Graph& graph, const std::vector<std::string>& disabled) {
  std::int32_t group = 0;
  bool changed = false;
  for (ir::NodeId id = 0; id < graph.node_count(); ++id) {
    const ir::OpClass kind = ir::definition(graph.node(id).op).kind;
    if (kind == ir::OpClass::composite && is_disabled(disabled, "decompose")) {
      throw UsageError(std::string(name_of(graph.node(id).op)) +
                           " can't be compiled while the pass 'decompose' is disabled",
                       graph.node(id).location);
    }
    if (is_disabled(disabled, "place") && !ir::device_of(graph, id).is_cpu()) {
      throw UsageError("the pass 'place' can't be disabled in programs for GPUs",
                       graph.node(id).location);
    }
    const bool needs_group = kind == ir::OpClass::elementwise || kind == ir::OpClass::reduce;
    if (!needs_group || !is_disabled(disabled, "fuse")) continue;
    graph.set_fusion(id, group++);
    changed = true;
  }
  return changed;
}

}  // namespace

void stand_in_for_disabled(ir::Graph& graph, const std::vector<std::string>& disabled) {
  if (disabled.empty()) return;
  ir::change_functions(graph, [&](ir::Graph& each) { return stand_in(each, disabled); });
  stand_in(graph, disabled);
}

}  // namespace tutti::codegen
