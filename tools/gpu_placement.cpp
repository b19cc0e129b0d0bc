#include "tools/gpu_placement.h"

#include <tutti/ir/function.h>
#include <tutti/ir/support/error.h>
#include <tutti/runtime/run/gpus.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace tutti::tools {

namespace {

bool names_devices_itself(const ir::Graph& function) {
  if (!function.default_device.is_cpu()) return true;
  for (ir::NodeId id = 0; id < function.node_count(); ++id) {
    if (function.node(id).op == ir::Op::to_device) return true;
    for (std::uint32_t i = 0; i < function.node(id).result_count; ++i) {
      const Device device = function.type(function.result(id, i)).device;
      if (!device.is_cpu() && !device.is_any()) return true;
    }
  }
  return false;
}

bool names_devices(const ir::Graph& function) {
  return names_devices_itself(function) ||
         std::ranges::any_of(ir::all_functions(function), [](const ir::FunctionPtr& each) {
           return names_devices_itself(each->graph());
         });
}

// But for the functions that its loops and branches run.
ir::Graph placed_itself(const ir::Graph& function, Device gpu) {
  const auto placed = [&](ir::Value value) {
    ir::Type type = function.type(value);
    if (type.device.is_cpu()) type.device = gpu;
    return type;
  };
  ir::Graph out(function.name);
  out.mesh = function.mesh;
  out.default_device = gpu;
  out.sizes = function.sizes;
  // Every value keeps its number.
  for (ir::NodeId id = 0; id < function.node_count(); ++id) {
    const ir::Node& node = function.node(id);
    if (node.op == ir::Op::parameter) {
      const ir::Parameter& parameter = function.parameters()[id];
      out.add_parameter(parameter.name, placed(parameter.value), parameter.donate, node.location);
      continue;
    }
    std::vector<ir::Type> types;
    for (std::uint32_t i = 0; i < node.result_count; ++i) {
      types.push_back(placed(function.result(id, i)));
    }
    out.append(node.op, function.operands(id), node.attributes, types, node.location);
    out.set_calls(function.calls(id));
    out.set_fusion(id, node.fusion);
  }
  out.set_results(function.results());
  ir::copy_shardings(function, out);
  return out;
}

}  // namespace

int count_gpus() {
  try {
    return runtime::count_gpus();
  } catch (const EnvironmentError& error) {
    throw EnvironmentError("--on device: " + std::string(error.what()) +
                           "\n`tutti doctor` lists what is found here. Without a GPU, `tutti emit "
                           "--stage cuda --on device` and `--stage ptx` show the code for one, "
                           "and `tutti run --on host` runs the program.");
  }
}

ir::Graph placed_on(const ir::Graph& function, Device gpu) {
  if (names_devices(function)) return function;
  ir::Graph out = function;
  ir::change_functions(out, [&](ir::Graph& each) {
    each = placed_itself(each, gpu);
    return true;
  });
  return placed_itself(out, gpu);
}

ir::Graph for_rank(const ir::Graph& function, std::int64_t rank, int gpus) {
  return gpus == 0 ? function : placed_on(function, Device::cuda(static_cast<int>(rank % gpus)));
}

}  // namespace tutti::tools
