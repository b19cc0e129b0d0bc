#include <tutti/ir/control.h>
#include <tutti/ir/function.h>
#include <tutti/ir/graph.h>
#include <tutti/ir/symbolic_sizes.h>

#include <algorithm>
#include <bit>

namespace tutti::ir {

void copy_shardings(const Graph& from, Graph& to) {
  for (std::size_t i = 0; i < from.parameters().size(); ++i) {
    const Sharding& sharding = from.parameters()[i].sharding;
    if (!sharding.empty()) to.set_parameter_sharding(i, sharding);
  }
  for (std::size_t i = 0; i < from.results().size(); ++i) {
    const Sharding& sharding = from.result_sharding(i);
    if (!sharding.empty()) to.set_result_sharding(i, sharding);
  }
}

namespace {

// Those that do have them first.
bool runs_functions(std::span<const Attribute> attributes) {
  return !attributes.empty() && (std::holds_alternative<FunctionPtr>(attributes[0]) ||
                                 std::holds_alternative<std::vector<FunctionPtr>>(attributes[0]));
}

}  // namespace

Value Graph::add_parameter(std::string parameter_name, const Type& type, bool donate, Location at) {
  // First, since it may throw: a parameter is there or not.
  if (parameters_.size() == parameters_.capacity()) parameters_.reserve(2 * parameters_.size() + 4);
  const NodeId id = append(Op::parameter, {}, {}, std::span(&type, 1), at);
  parameters_.push_back({result(id), std::move(parameter_name), donate});
  return result(id);
}

NodeId Graph::append(Op op, std::span<const Value> operands, std::vector<Attribute> attributes,
                     std::span<const Type> types, Location at) {
  const auto id = static_cast<NodeId>(nodes_.size());
  const auto first_operand = static_cast<std::uint32_t>(operands_.size());
  const auto first_result = static_cast<std::uint32_t>(values_.size());
  // The node comes last: what throws before leaves operands and values that are nobody's.
  operands_.insert(operands_.end(), operands.begin(), operands.end());
  for (const Type& type : types) values_.emplace_back(type, id);
  // Most nodes have results whose types say that they are no collective's.
  const bool may_be_call = types.empty() || types[0].async;
  const bool communicates =
      (may_be_call && definition(op).kind == OpClass::collective) ||
      (runs_functions(attributes) && is_control(op) && ir::communicates(attributes));
  if (communicates) [[unlikely]]
    make_room_for_call();
  nodes_.emplace_back(Node{.op = op,
                           .first_operand = first_operand,
                           .operand_count = static_cast<std::uint32_t>(operands.size()),
                           .first_result = first_result,
                           .result_count = static_cast<std::uint32_t>(types.size()),
                           .attributes = std::move(attributes),
                           .location = at});
  if (communicates) [[unlikely]]
    add_call(id);
  return id;
}

void Graph::make_room_for_call() {
  if (collectives_.size() == collectives_.capacity()) {
    collectives_.reserve(2 * collectives_.size() + 4);
  }
  if (calls_.size() == calls_.capacity()) calls_.reserve(2 * calls_.size() + 4);
}

void Graph::add_call(NodeId id) noexcept {
  calls_.push_back(call_count_);
  collectives_.push_back({id, static_cast<std::uint32_t>(calls_.size()) - 1, 1});
  ++call_count_;
}

std::span<const CallId> Graph::calls(NodeId id) const {
  const auto found = std::ranges::lower_bound(collectives_, id, {}, &Collective::node);
  if (found == collectives_.end() || found->node != id) return {};
  return {calls_.data() + found->first_call, found->call_count};
}

void Graph::set_calls(std::span<const CallId> calls) {
  if (calls.empty() || collectives_.empty() || collectives_.back().node + 1 != nodes_.size())
    return;
  Collective& last = collectives_.back();
  last.call_count = 0;
  calls_.resize(last.first_call);
  --call_count_;  // that of its own
  calls_.insert(calls_.end(), calls.begin(), calls.end());
  last.call_count = static_cast<std::uint32_t>(calls.size());
  for (const CallId call : calls) reserve_calls(call + 1);
}

Device device_of(const Graph& graph, NodeId node) {
  if (is_control(graph.node(node).op)) {
    const Device device = place_of_functions(graph.attributes(node)).device;
    if (!device.is_any()) return device;
  }
  for (std::size_t i = is_branch_index(graph.node(node).op, 0) ? 1 : 0;
       i < graph.node(node).operand_count; ++i) {
    const Device device = graph.type(graph.operand(node, i)).device;
    if (!device.is_any()) return device;
  }
  const bool decided = graph.node(node).result_count == 0 || graph.node(node).op == Op::to_device;
  return decided ? graph.default_device : graph.device(graph.result(node));
}

void hash_type(Hasher& hasher, const Type& type) {
  hasher.add(static_cast<std::uint64_t>(type.dtype) | static_cast<std::uint64_t>(type.async) << 8 |
             static_cast<std::uint64_t>(type.replication.dimensions) << 16 |
             static_cast<std::uint64_t>(type.replication.literal) << 24 |
             static_cast<std::uint64_t>(type.shape.rank()) << 32 |
             static_cast<std::uint64_t>(std::hash<Device>()(type.device)) << 40);
  for (const std::int64_t size : type.shape) hasher.add(static_cast<std::uint64_t>(size));
}

namespace {

void hash_list(Hasher& hasher, const std::vector<std::int64_t>& values) {
  hasher.add(values.size());
  for (const std::int64_t value : values) hasher.add(static_cast<std::uint64_t>(value));
}

void hash_sizes(Hasher& hasher, const SymbolicSizes& sizes) {
  for (const SizeSymbol& symbol : sizes.symbols) {
    hasher.add(symbol.name).add(static_cast<std::uint64_t>(symbol.least));
    hasher.add(static_cast<std::uint64_t>(symbol.most));
  }
  for (const auto& [place, expression] : sizes.dimensions) {
    hasher.add(place.first).add(static_cast<std::uint64_t>(place.second));
    hasher.add(expression.text(sizes.symbols));
  }
  for (const auto& [place, expression] : sizes.attributes) {
    hasher.add(std::get<0>(place)).add(std::get<1>(place)).add(std::get<2>(place));
    hasher.add(expression.text(sizes.symbols));
  }
}

void hash_function(Hasher& hasher, const Function& function) {
  hasher.add(function.hash().low).add(function.hash().high);
}

}  // namespace

void hash_attribute(Hasher& hasher, const Attribute& attribute) {
  hasher.add(attribute.index());
  std::visit(
      [&]<class T>(const T& value) {
        if constexpr (std::is_same_v<T, double>) {
          hasher.add(std::bit_cast<std::uint64_t>(value));
        } else if constexpr (std::is_same_v<T, std::string>) {
          hasher.add(value);
        } else if constexpr (std::is_same_v<T, std::vector<std::int64_t>>) {
          hash_list(hasher, value);
        } else if constexpr (std::is_same_v<T, GroupPtr>) {
          hasher.add(value->tag).add(static_cast<std::uint64_t>(value->stride));
          hasher.add(static_cast<std::uint64_t>(value->timeout)).add(value->backends);
          if (!value->name.empty()) hasher.add(value->name);
          if (value->programs_differ) hasher.add(std::uint64_t{1});
          if (value->algorithm) hasher.add(static_cast<std::uint64_t>(*value->algorithm) + 2);
          hash_list(hasher, value->ranks);
        } else if constexpr (std::is_same_v<T, ArrayPtr>) {
          hash_type(hasher, {.dtype = value->dtype(), .shape = value->shape()});
          hasher.add(std::string_view(reinterpret_cast<const char*>(value->bytes().data()),
                                      value->bytes().size()));
        } else if constexpr (std::is_same_v<T, std::vector<Type>>) {
          hasher.add(value.size());
          for (const Type& type : value) hash_type(hasher, type);
        } else if constexpr (std::is_same_v<T, FunctionPtr>) {
          hash_function(hasher, *value);
        } else if constexpr (std::is_same_v<T, std::vector<FunctionPtr>>) {
          hasher.add(value.size());
          for (const FunctionPtr& function : value) hash_function(hasher, *function);
        } else {
          hasher.add(static_cast<std::uint64_t>(value));
        }
      },
      attribute);
}

Hash128 structural_hash(const Graph& graph) {
  Hasher hasher;
  if (graph.mesh != nullptr) {
    for (const std::string& name : graph.mesh->names) hasher.add(name);
    hash_list(hasher, graph.mesh->sizes);
  }
  hasher.add(std::hash<Device>()(graph.default_device));
  for (NodeId id = 0; id < graph.node_count(); ++id) {
    const Node& node = graph.node(id);
    hasher.add(static_cast<std::uint64_t>(node.op) |
               static_cast<std::uint64_t>(node.operand_count) << 8 |
               static_cast<std::uint64_t>(static_cast<std::uint32_t>(node.fusion + 1)) << 32);
    for (const Value operand : graph.operands(id)) hasher.add(operand.id);
    for (const Attribute& attribute : node.attributes) hash_attribute(hasher, attribute);
    for (std::uint32_t i = 0; i < node.result_count; ++i) {
      hash_type(hasher, graph.type(graph.result(id, i)));
    }
  }
  for (const Parameter& parameter : graph.parameters()) {
    hasher.add(parameter.value.id * 2ULL + (parameter.donate ? 1 : 0));
  }
  hasher.add(graph.results().size());
  for (const Value value : graph.results()) hasher.add(value.id);
  if (graph.sizes != nullptr) hash_sizes(hasher, *graph.sizes);
  return hasher.finish();
}

bool structurally_equal(const Graph& a, const Graph& b) {
  const auto same_mesh = [&] {
    return a.mesh == b.mesh || (a.mesh != nullptr && b.mesh != nullptr && *a.mesh == *b.mesh);
  };
  if (a.node_count() != b.node_count() || a.value_count() != b.value_count() || !same_mesh() ||
      a.default_device != b.default_device || a.results() != b.results() ||
      a.parameters().size() != b.parameters().size()) {
    return false;
  }
  for (std::size_t i = 0; i < a.parameters().size(); ++i) {
    if (a.parameters()[i].value != b.parameters()[i].value ||
        a.parameters()[i].donate != b.parameters()[i].donate) {
      return false;
    }
  }
  if (a.sizes != b.sizes && (a.sizes == nullptr || b.sizes == nullptr || *a.sizes != *b.sizes)) {
    return false;
  }
  for (NodeId id = 0; id < a.node_count(); ++id) {
    const Node& x = a.node(id);
    const Node& y = b.node(id);
    if (x.op != y.op || x.fusion != y.fusion || x.result_count != y.result_count ||
        !std::ranges::equal(a.operands(id), b.operands(id)) ||
        !std::ranges::equal(x.attributes, y.attributes, equal)) {
      return false;
    }
    for (std::uint32_t i = 0; i < x.result_count; ++i) {
      if (a.type(a.result(id, i)) != b.type(b.result(id, i))) return false;
    }
  }
  return true;
}

std::vector<std::uint32_t> count_uses(const Graph& graph) {
  std::vector<std::uint32_t> uses(graph.value_count());
  for (NodeId id = 0; id < graph.node_count(); ++id) {
    for (const Value operand : graph.operands(id)) ++uses[operand.id];
  }
  for (const Value value : graph.results()) ++uses[value.id];
  return uses;
}

}  // namespace tutti::ir
