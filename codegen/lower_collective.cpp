#include <tutti/codegen/lower_collective.h>
#include <tutti/ir/collective.h>
#include <tutti/ir/names.h>
#include <tutti/ir/support/error.h>
#include <tutti/ir/support/hash.h>
#include <tutti/runtime/comm/backend_config.h>
#include <tutti/runtime/comm/site.h>
#include <tutti/runtime/comm/transports.h>

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tutti::codegen {

namespace {

using ir::Op;
using ir::Value;
using runtime::CollectiveKind;

CollectiveKind kind_of(Op op) {
  switch (op) {
    case Op::all_reduce:
      return CollectiveKind::all_reduce;
    case Op::reduce:
      return CollectiveKind::reduce;
    case Op::all_gather:
      return CollectiveKind::all_gather;
    case Op::gather:
      return CollectiveKind::gather;
    case Op::reduce_scatter:
      return CollectiveKind::reduce_scatter;
    case Op::scatter:
      return CollectiveKind::scatter;
    case Op::broadcast:
      return CollectiveKind::broadcast;
    case Op::all_to_all:
      return CollectiveKind::all_to_all;
    case Op::collective_permute:
      return CollectiveKind::collective_permute;
    case Op::scan_ranks:
      return CollectiveKind::scan_ranks;
    case Op::send:
    case Op::recv:
    case Op::batch_send_recv:
      return CollectiveKind::send_recv;
    case Op::barrier:
      return CollectiveKind::barrier;
    default:
      throw InternalError("no runtime collective for " + std::string(name_of(op)));
  }
}

// What the ranks have to agree on of a tensor's shape, beyond the number of its elements: all but
// the axis, which may be uneven and is compared otherwise.
void add_shape(Hasher& hasher, const Shape& shape, std::int64_t axis) {
  hasher.add(static_cast<std::uint64_t>(shape.rank()));
  for (int d = 0; d < shape.rank(); ++d) {
    hasher.add(d == axis ? 0 : static_cast<std::uint64_t>(shape[d]));
  }
}

// The text of a type without what only the program knows of it.
std::string tensor_text(const ir::Type& type) {
  return ir::Type{.dtype = type.dtype, .shape = type.shape}.text();
}

runtime::TensorPart part_of(CollectiveKind kind, const ir::Type& type,
                            const ir::Attributes& attributes) {
  runtime::TensorPart part{.elements = type.shape.elements()};
  if (!kernels::has_axis(kind)) return part;
  const std::int64_t axis = attributes.integer("axis");
  for (int d = 0; d < type.shape.rank(); ++d) {
    (d < axis ? part.outer : d == axis ? part.axis_size : part.inner) *= type.shape[d];
  }
  if (kind == CollectiveKind::all_to_all) {
    part.sizes = attributes.integers("send_sizes");
    part.receive_sizes = attributes.integers("receive_sizes");
  } else {
    part.sizes = attributes.integers("sizes");
  }
  return part;
}

// "0>1 1>0", or how such a list begins.
std::string pairs_text(std::span<const std::pair<int, int>> pairs) {
  constexpr std::size_t kShown = 8;
  if (pairs.empty()) return "of no pairs";
  std::string out;
  for (const auto& [from, to] : pairs.first(std::min(pairs.size(), kShown))) {
    out += (out.empty() ? "" : " ") + std::to_string(from) + ">" + std::to_string(to);
  }
  return out + (pairs.size() > kShown ? " ..." : "");
}

// The call of all members together.
LoweredCollective lower_whole(const ir::Graph& graph, ir::NodeId id, CollectiveKind kind) {
  const ir::Attributes attributes = graph.attributes(id);
  LoweredCollective out{.call = {.kind = kind}, .group = attributes.group("group")};
  runtime::CollectiveCall& call = out.call;
  call.location = graph.node(id).location;
  call.description = std::string(name_of(kind));
  if (kernels::reduces(kind)) {
    call.reduction = *kernels::reduction_from_name(attributes.text("op"));
    call.description += " " + attributes.text("op");
  }
  if (kind == CollectiveKind::scan_ranks) {
    call.scan = {.exclusive = attributes.flag("exclusive"), .reverse = attributes.flag("reverse")};
    if (call.scan.exclusive) call.description += " exclusive";
    if (call.scan.reverse) call.description += " reverse";
  }
  if (kernels::has_root(kind)) {
    call.root = static_cast<int>(attributes.integer("root"));
    call.description += " root " + std::to_string(call.root);
  }
  if (kind == CollectiveKind::collective_permute) {
    const std::vector<std::int64_t>& pairs = attributes.integers("pairs");
    for (std::size_t i = 0; i < pairs.size(); i += 2) {
      call.pairs.emplace_back(static_cast<int>(pairs[i]), static_cast<int>(pairs[i + 1]));
    }
    call.description += " " + pairs_text(call.pairs);
  }
  Hasher shapes;
  const std::int64_t axis = kernels::has_axis(kind) ? attributes.integer("axis") : -1;
  if (axis > 0) call.description += " axis " + std::to_string(axis);
  shapes.add(static_cast<std::uint64_t>(axis));
  for (std::size_t i = 0; i < graph.node(id).operand_count; ++i) {
    const Value operand = graph.operand(id, i);
    const ir::Type& type = graph.type(operand);
    add_shape(shapes, type.shape, axis);
    call.dtype = type.dtype;
    call.description += (i == 0 ? " " : ", ") + tensor_text(type);
    call.parts.push_back(part_of(kind, type, attributes));
    out.operands.push_back(operand);
    out.results.push_back(graph.result(id, i));
  }
  call.agreement = shapes.finish().low;
  call.site = runtime::site_of(call.location, out.group->name);
  call.programs_differ = out.group->programs_differ;
  if (!out.group->name.empty()) call.description += " named \"" + out.group->name + "\"";
  return out;
}

// A message is a collective of its sender and its receiver.
LoweredCollective lower_message(const ir::Graph& graph, ir::NodeId id, const ir::Message& message) {
  const Value tensor =
      message.sent ? graph.operand(id, message.index) : graph.result(id, message.index);
  const ir::Type& type = graph.type(tensor);
  LoweredCollective out{.group = message.pair};
  (message.sent ? out.operands : out.results).push_back(tensor);
  out.call.kind = CollectiveKind::send_recv;
  out.call.dtype = type.dtype;
  out.call.location = graph.node(id).location;
  out.call.description =
      message.sent
          ? "send " + tensor_text(type) + " to rank " + std::to_string(message.pair->ranks[1])
          : "recv " + tensor_text(type) + " from rank " + std::to_string(message.pair->ranks[0]);
  const std::int64_t gradients = graph.attributes(id).integer("gradients");
  if (gradients > 0) {
    out.call.description +=
        " inside of " + ir::counted(static_cast<std::size_t>(gradients), "gradient");
  }
  out.call.parts.push_back({.elements = type.shape.elements()});
  Hasher shape;
  add_shape(shape, type.shape, -1);
  if (gradients > 0) shape.add(static_cast<std::uint64_t>(gradients));
  out.call.agreement = shape.finish().low;
  return out;
}

// Of what the runtime itself moves: on GPUs what is asked for, on the host what its table says,
// too.
void choose_algorithm(LoweredCollective& lowered, const runtime::Algorithms& algorithms) {
  if (lowered.call.parts.empty()) return;
  const bool on_host = lowered.engine == "shm";
  if (!on_host && !runtime::moves_on_devices(lowered.engine)) return;
  const ir::Algorithm asked = algorithms.asked_of(*lowered.group);
  const bool is_asked = asked == ir::Algorithm::one_shot || asked == ir::Algorithm::two_shot;
  if (on_host || is_asked) {
    lowered.call.one_shot_up_to = algorithms.one_shot_up_to(lowered.call, *lowered.group);
  }
  if (!is_asked) return;
  lowered.call.description += ", " + std::string(name_of(asked));
}

// Where an engine for GPUs does not have the call, nor one that stands in for it, all members'
// values go through the host. Floats that are to be combined in the members' order are moved by the
// engine at most.
void choose_engine(LoweredCollective& lowered, const std::string& engine, Device device,
                   int members, int position, ir::Algorithm asked) {
  lowered.engine = engine;
  const runtime::TransportEntry* const own = runtime::find_transport(engine);
  if (own == nullptr || !own->on_devices) return;
  const runtime::CollectiveCall& call = lowered.call;
  const bool is_rounded = kernels::reduces(call.kind) && is_floating(call.dtype);
  const bool in_order = is_rounded && asked == ir::Algorithm::exact;
  if (!device.is_cpu()) {
    const bool is_served = own->serves == nullptr || own->serves(call, members);
    if (is_served && !in_order) return;
    lowered.stand_in = find_stand_in(call, *own, members, position, in_order);
    if (lowered.stand_in) {
      lowered.call = lowered.stand_in->call;
      return;
    }
  }
  lowered.engine = "shm";
}

}  // namespace

std::string engine_of(const ir::Group& group, Device device) {
  if (group.backends.empty()) return runtime::BackendConfig::process().engine(device);
  return runtime::BackendConfig::parse(group.backends).engine(device);
}

std::vector<LoweredCollective> lower_collective(const ir::Graph& graph, ir::NodeId id,
                                                std::int64_t rank,
                                                const runtime::Algorithms& algorithms) {
  const ir::Node& node = graph.node(id);
  const ir::Attributes attributes = graph.attributes(id);
  const ir::Group& group = *attributes.group("group");
  if (group.position_of(rank) < 0) {
    throw TypeError(std::string(name_of(node.op)) + ": rank " + std::to_string(rank) +
                        " is in no group of \"" + group.tag + "\"",
                    node.location);
  }
  std::vector<ir::Type> types;
  for (const Value operand : graph.operands(id)) types.push_back(graph.type(operand));
  ir::check_on_rank(node.op, types, attributes, rank, node.location);
  std::vector<LoweredCollective> out;
  if (ir::is_point_to_point(node.op)) {
    for (const ir::Message& message : ir::messages(node.op, attributes, rank)) {
      out.push_back(lower_message(graph, id, message));
      out.back().parent = attributes.group("group");
      // Who sends does not know where the other one wants it.
      out.back().engine = engine_of(group, Device::cpu());
      choose_algorithm(out.back(), algorithms);
    }
    return out;
  }
  out.push_back(lower_whole(graph, id, kind_of(node.op)));
  const bool none = out[0].operands.empty();  // a barrier has no tensors
  const Device device = none ? Device::cpu() : graph.device(out[0].operands[0]);
  const auto members = static_cast<int>(group.members_with(rank).size());
  choose_engine(out[0], engine_of(group, device), device, members,
                static_cast<int>(group.position_of(rank)), algorithms.asked_of(group));
  choose_algorithm(out[0], algorithms);
  return out;
}

}  // namespace tutti::codegen
