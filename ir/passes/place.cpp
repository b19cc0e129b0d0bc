#include <tutti/ir/builder.h>
#include <tutti/ir/control.h>
#include <tutti/ir/passes/passes.h>

#include <algorithm>

// What lies anywhere is made on every device that reads it: it comes from constants, so making it
// twice costs less than a copy. Three things are there once: a parameter of device `any` is a
// number that the caller has in host memory, a collective takes place once, and what comes of it is
// waited for once. These are copied to where else they are needed; so is what a branch without
// arguments gives. Loops and branches run where their functions' parameters lie, and the index of a
// branch is the host's, who decides.
//
// On the graph's default device values stay `any`, which means nothing else from then on. So a
// program that keeps to one device is left as it is.
namespace tutti::ir {

namespace {

using Devices = std::vector<Device>;  // few, each once

class Placement {
 public:
  // `home`: where what lies anywhere goes as a result.
  Placement(const Graph& graph, Device home)
      : graph_(graph),
        home_(home),
        needs_(graph.value_count()),
        values_(graph.value_count()),
        copies_(graph.value_count()),
        out_(graph.name) {
    find_needs();
  }

  bool changes() const { return changes_; }

  Graph placed() {
    out_.mesh = graph_.mesh;
    out_.default_device = graph_.default_device;
    out_.reserve_calls(graph_.call_count());
    for (const Parameter& parameter : graph_.parameters()) add(parameter);
    for (const Parameter& parameter : graph_.parameters()) {
      copy_number(parameter.value);
    }
    for (NodeId id = 0; id < graph_.node_count(); ++id) {
      if (graph_.node(id).op == Op::parameter) continue;
      if (is_dropped(id)) {
        values_[graph_.result(id).id] = without_copy(id);
      } else if (lies_anywhere(id)) {
        for (const Device device : devices_of(id)) make(id, device);
        if (is_made_once(id)) copy_results(id);
      } else {
        append(id, wanted_by(id), [](Type type) { return type; });
      }
    }
    std::vector<Value> results;
    for (const Value value : graph_.results()) {
      results.push_back(value_on(value, home_));
    }
    out_.set_results(std::move(results));
    copy_shardings(graph_, out_);
    return std::move(out_);
  }

 private:
  bool is_any(Value value) const { return graph_.type(value).device.is_any(); }
  bool is_parameter(Value value) const { return graph_.op(value) == Op::parameter; }
  // Of a node with results: all are `any`, or none is.
  bool lies_anywhere(NodeId id) const {
    return graph_.node(id).result_count > 0 && is_any(graph_.result(id));
  }
  bool is_made_once(NodeId id) const {
    const Node& node = graph_.node(id);
    return definition(node.op).kind == OpClass::collective || node.op == Op::wait ||
           node.op == Op::parameter || is_control(node.op) ||
           (node.result_count > 0 && graph_.type(graph_.result(id)).async);
  }
  // The copy of what could as well be made there, or is there.
  bool is_dropped(NodeId id) const {
    if (graph_.node(id).op != Op::to_device || !is_any(graph_.operand(id, 0))) return false;
    const Value operand = graph_.operand(id, 0);
    return is_parameter(operand) || !is_made_once(graph_.producer(operand)) ||
           graph_.type(graph_.result(id)).device == graph_.default_device;
  }
  // Where a node that does not lie anywhere needs its operands.
  Device wanted_by(NodeId id) const {
    return is_dropped(id) ? graph_.type(graph_.result(id)).device : device_of(graph_, id);
  }
  // Where a node that is computed there needs one of them.
  Device operand_device(NodeId id, std::size_t operand, Device device) const {
    return is_branch_index(graph_.node(id).op, operand) ? Device::cpu() : device;
  }

  void need(Value value, Device device) {
    if (!is_any(value)) return;
    Devices& devices = needs_[value.id];
    if (std::ranges::find(devices, device) == devices.end()) devices.push_back(device);
  }

  // Where the node is computed.
  Devices devices_of(NodeId id) const {
    if (is_made_once(id)) return {graph_.default_device};
    Devices out;
    for (std::uint32_t i = 0; i < graph_.node(id).result_count; ++i) {
      for (const Device device : needs_[graph_.result(id, i).id]) {
        if (std::ranges::find(out, device) == out.end()) out.push_back(device);
      }
    }
    if (out.empty()) out.push_back(graph_.default_device);
    return out;
  }

  void find_needs() {
    for (const Value value : graph_.results()) {
      need(value, home_);
      if (is_any(value) && home_ != graph_.default_device) changes_ = true;
    }
    for (NodeId id = static_cast<NodeId>(graph_.node_count()); id-- > 0;) {
      if (graph_.node(id).op == Op::parameter) continue;
      const bool anywhere = lies_anywhere(id);
      const Devices devices = anywhere ? devices_of(id) : Devices{wanted_by(id)};
      for (std::size_t i = 0; i < graph_.node(id).operand_count; ++i) {
        for (const Device device : devices) {
          need(graph_.operand(id, i), operand_device(id, i, device));
        }
      }
      if (is_dropped(id) || (anywhere && devices != Devices{graph_.default_device}))
        changes_ = true;
      if (!anywhere || !is_made_once(id)) continue;
      for (std::uint32_t i = 0; i < graph_.node(id).result_count; ++i) {
        for (const Device device : needs_[graph_.result(id, i).id]) {
          if (device != graph_.default_device) changes_ = true;
        }
      }
    }
    for (const Parameter& parameter : graph_.parameters()) {
      if (is_any(parameter.value) && leaves_host(parameter.value)) changes_ = true;
    }
  }

  // Whether the number has to be told from its copies on other devices.
  bool leaves_host(Value parameter) const {
    return !graph_.default_device.is_cpu() ||
           std::ranges::any_of(needs_[parameter.id],
                               [](Device device) { return !device.is_cpu(); });
  }

  void add(const Parameter& parameter) {
    Type type = graph_.type(parameter.value);
    if (type.device.is_any() && leaves_host(parameter.value)) type.device = Device::cpu();
    values_[parameter.value.id] = out_.add_parameter(parameter.name, type, parameter.donate,
                                                     location(graph_.producer(parameter.value)));
  }

  void copy_number(Value parameter) {
    if (!is_any(parameter)) return;
    copies_[parameter.id].emplace_back(Device::cpu(), values_[parameter.id]);
    copy_to_others(parameter, values_[parameter.id]);
  }

  void copy_results(NodeId id) {
    if (graph_.type(graph_.result(id)).async) return;  // its wait is copied
    for (std::uint32_t i = 0; i < graph_.node(id).result_count; ++i) {
      const Value value = graph_.result(id, i);
      copy_to_others(value, value_on(value, graph_.default_device));
    }
  }

  // Copies the only one there is to where else it is needed.
  void copy_to_others(Value value, Value made) {
    auto& copies = copies_[value.id];
    for (const Device device : needs_[value.id]) {
      if (std::ranges::find(copies, device, &Copy::first) != copies.end()) continue;
      Type type = out_.type(made);
      type.device = device;
      const NodeId copy = out_.append(Op::to_device, std::span(&made, 1), {device.text()},
                                      std::span(&type, 1), location(graph_.producer(value)));
      copies.emplace_back(device, out_.result(copy));
    }
  }

  // The new value that stands for an old one on a device.
  Value value_on(Value value, Device device) const {
    if (!is_any(value)) return values_[value.id];
    const auto& copies = copies_[value.id];
    const auto found = std::ranges::find(copies, device, &Copy::first);
    if (found == copies.end()) {
      throw InternalError("value %" + std::to_string(value.id) + " of @" + graph_.name +
                          " is not placed on " + device.text());
    }
    return found->second;
  }

  // What a dropped copy was of; under another name where only that can say that it lies there.
  Value without_copy(NodeId id) {
    const Value value = value_on(graph_.operand(id, 0), wanted_by(id));
    if (!out_.type(value).device.is_any()) return value;
    return out_.result(out_.append(Op::identity, std::span(&value, 1), {},
                                   std::span(&graph_.type(graph_.result(id)), 1), location(id)));
  }

  // One of the places of a node that lies anywhere.
  void make(NodeId id, Device device) {
    const NodeId made = append(id, device, [&](Type type) {
      if (device != graph_.default_device) type.device = device;
      return type;
    });
    for (std::uint32_t i = 0; i < graph_.node(id).result_count; ++i) {
      copies_[graph_.result(id, i).id].emplace_back(device, out_.result(made, i));
    }
  }

  template <class F>
  NodeId append(NodeId id, Device device, F&& placed_type) {
    const Node& node = graph_.node(id);
    std::vector<Value> operands;
    Device common = Device::any();
    for (std::size_t i = 0; i < node.operand_count; ++i) {
      operands.push_back(value_on(graph_.operand(id, i), operand_device(id, i, device)));
      if (common.is_any() && !is_branch_index(node.op, i))
        common = out_.type(operands.back()).device;
    }
    std::vector<Type> types;
    for (std::uint32_t i = 0; i < node.result_count; ++i) {
      types.push_back(placed_type(graph_.type(graph_.result(id, i))));
      // What is made from a number's copy lies where that does.
      if (types.back().device.is_any()) types.back().device = common;
    }
    const NodeId made = out_.append(node.op, operands, node.attributes, types, node.location);
    out_.set_calls(graph_.calls(id));
    for (std::uint32_t i = 0; i < node.result_count; ++i) {
      values_[graph_.result(id, i).id] = out_.result(made, i);
    }
    return made;
  }

  Location location(NodeId id) const { return graph_.node(id).location; }

  using Copy = std::pair<Device, Value>;

  const Graph& graph_;
  const Device home_;
  std::vector<Devices> needs_;             // [value], where values that lie anywhere are read
  std::vector<Value> values_;              // [value], of those that do not
  std::vector<std::vector<Copy>> copies_;  // [value], of those that do
  Graph out_;
  bool changes_ = false;
};

}  // namespace

namespace {

bool place_at(Graph& graph, Device home) {
  Placement placement(graph, home);
  if (!placement.changes()) return false;
  graph = placement.placed();
  return true;
}

}  // namespace

bool place(Graph& graph) { return place_at(graph, graph.default_device); }

bool place_function(Graph& function) {
  const auto& parameters = function.parameters();
  return place_at(function, parameters.empty() ? function.default_device
                                               : function.type(parameters[0].value).device);
}

}  // namespace tutti::ir
