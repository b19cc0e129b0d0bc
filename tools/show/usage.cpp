#include "tools/show/usage.h"

#include <algorithm>

#include "tools/show/format.h"

namespace tutti::tools::show {

namespace {

using ir::NodeId;
using ir::OpClass;
using ir::Value;

// Whether a node's result is its operand's memory.
bool is_window(const ir::Graph& function, NodeId id) {
  const ir::OpClass kind = ir::definition(function.node(id).op).kind;
  return (kind == OpClass::view || kind == OpClass::wait) && function.node(id).operand_count == 1 &&
         function.node(id).result_count == 1;
}

}  // namespace

Usage find_usage(const ir::Graph& function) {
  Usage out;
  const auto end = static_cast<std::int64_t>(function.node_count());
  out.nodes.resize(function.node_count());
  std::vector<Value> bases(function.value_count());                // whose memory a value is in
  std::vector<std::int64_t> last(function.value_count(), kNoUse);  // of a base, `end`: returned
  for (NodeId id = 0; id < function.node_count(); ++id) {
    for (const Value operand : function.operands(id)) {
      NodeUse& use = out.nodes[function.producer(operand)];
      ++use.uses;
      use.last_use = id;
      last[bases[operand.id].id] = id;
    }
    for (std::uint32_t i = 0; i < function.node(id).result_count; ++i) {
      const Value result = function.result(id, i);
      NodeUse& use = out.nodes[id];
      use.bytes = add_capped(use.bytes, function.type(result).bytes());
      bases[result.id] = is_window(function, id) ? bases[function.operand(id, 0).id] : result;
    }
    if (function.node(id).op == ir::Op::parameter) {
      out.parameter_bytes = add_capped(out.parameter_bytes, out.nodes[id].bytes);
    }
  }
  for (const Value result : function.results()) {
    NodeUse& use = out.nodes[function.producer(result)];
    ++use.uses;
    use.last_use = kReturned;
    last[bases[result.id].id] = end;
  }
  // What is alive after each node.
  std::vector<std::int64_t> ending(function.node_count(), 0);
  std::int64_t live = 0;
  for (NodeId id = 0; id < function.node_count(); ++id) {
    if (function.node(id).op != ir::Op::parameter) {
      for (std::uint32_t i = 0; i < function.node(id).result_count; ++i) {
        const Value result = function.result(id, i);
        if (bases[result.id] != result || last[result.id] == kNoUse) continue;
        const std::int64_t bytes = function.type(result).bytes();
        live = add_capped(live, bytes);
        if (last[result.id] == end) continue;
        std::int64_t& freed = ending[static_cast<std::size_t>(last[result.id])];
        freed = add_capped(freed, bytes);
      }
    }
    live = std::max<std::int64_t>(live - ending[id], 0);
    out.nodes[id].live = live;
    if (live > out.peak) {
      out.peak = live;
      out.peak_at = id;
    }
  }
  return out;
}

}  // namespace tutti::tools::show
