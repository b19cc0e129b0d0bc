#include <tutti/ir/builder.h>
#include <tutti/ir/control.h>

namespace tutti::ir {

namespace {

bool is_kind(const Attribute& attribute, AttributeKind kind) {
  return attribute.index() == static_cast<std::size_t>(kind);
}

Replication common_replication(std::span<const Type> operands) {
  Replication common{.dimensions = 0, .literal = true, .positions = true};
  for (const Type& type : operands) common = intersect(common, type.replication);
  return common;
}

// Whether what is made of positions alone is the same on all ranks that make it of the same ones
// and have its type: a slice begins where a rank says, and a reduction hides how long its operand
// is.
bool keeps_positions(const Definition& entry) {
  switch (entry.kind) {
    case OpClass::elementwise:
      return true;
    case OpClass::view:
      return entry.op != Op::slice;
    case OpClass::make:
      return entry.op == Op::iota;
    default:
      return false;
  }
}

// Where the operands lie that do not lie anywhere; `any` if there are none.
Device common_device(Op op, const Inference& in) {
  Device common = Device::any();
  for (int i = 0; i < in.count(); ++i) {
    if (is_branch_index(op, static_cast<std::size_t>(i))) continue;
    const Device device = in.operand(i).device;
    if (device.is_any() || device == common) continue;
    in.require(common.is_any(), [&] {
      return "the operands lie on different devices, " + common.text() + " and " + device.text() +
             "; copy one of them with to(x, device)";
    });
    common = device;
  }
  return common;
}

}  // namespace

bool says_own_device(Op op) {
  return op == Op::to_device || op == Op::recv || op == Op::batch_send_recv;
}

void complete_attributes(const Definition& definition, std::vector<Attribute>& attributes) {
  const auto name = [&] { return std::string(definition.name); };
  if (attributes.size() > definition.attributes.size()) {
    throw InternalError(name() + " has " + std::to_string(definition.attributes.size()) +
                        " attributes, not " + std::to_string(attributes.size()));
  }
  for (std::size_t i = 0; i < definition.attributes.size(); ++i) {
    const AttributeSpec& spec = definition.attributes[i];
    if (i == attributes.size()) {
      if (!spec.standard)
        throw TypeError(name() + ": attribute " + std::string(spec.name) + " is missing");
      attributes.push_back(*spec.standard);
    }
    if (!is_kind(attributes[i], spec.kind)) {
      throw InternalError(name() + ": attribute " + std::string(spec.name) + " has the wrong kind");
    }
  }
}

std::uint8_t dimensions_to_vary(Op op, std::span<const Type> operands, std::size_t operand,
                                std::span<const Attribute> attributes, const Mesh* mesh) {
  const Replication mine = operands[operand].replication;
  if (mesh == nullptr || mine.literal || mine.dimensions == 0) return 0;
  const Definition& entry = definition(op);
  if (entry.kind == OpClass::collective) {
    const GroupPtr& group = Attributes(entry.attributes, attributes).group("group");
    const std::uint8_t spanned = dimensions_of(group, *mesh);
    return spanned == 0 ? mine.dimensions : static_cast<std::uint8_t>(mine.dimensions & spanned);
  }
  if (entry.kind == OpClass::control) {
    const auto wanted =
        replication_of_argument(op, Attributes(entry.attributes, attributes), operand);
    return wanted ? static_cast<std::uint8_t>(mine.dimensions & ~wanted->dimensions)
                  : std::uint8_t{0};
  }
  if (op == Op::wait || op == Op::vary || op == Op::optimization_barrier ||
      op == Op::custom_gradient) {
    return 0;
  }
  return static_cast<std::uint8_t>(mine.dimensions & ~common_replication(operands).dimensions);
}

std::vector<Type> infer_types(Op op, std::span<const Type> operands,
                              std::span<const Attribute> attributes, const Mesh* mesh) {
  std::vector<Type> results;
  infer_types(op, operands, attributes, mesh, results);
  return results;
}

void infer_types(Op op, std::span<const Type> operands, std::span<const Attribute> attributes,
                 const Mesh* mesh, std::vector<Type>& results) {
  const Definition& entry = definition(op);
  results.clear();
  Inference inference(entry, operands, attributes, mesh, results);
  const auto count = static_cast<int>(operands.size());
  if (count < entry.least_operands || (entry.most_operands >= 0 && count > entry.most_operands)) {
    inference.fail("takes " + std::to_string(entry.least_operands) +
                   (entry.most_operands == entry.least_operands ? "" : " or more") +
                   " operands, not " + std::to_string(count));
  }
  for (const AttributeSpec& spec : entry.attributes) {
    if (spec.kind == AttributeKind::group) check_group(inference.attributes.group(spec.name));
    if (spec.kind == AttributeKind::dtype) {
      const DType dtype = inference.attributes.dtype(spec.name);
      inference.require(is_dtype(dtype), [&] {
        return "there is no dtype of the number " + std::to_string(static_cast<int>(dtype));
      });
    }
  }
  const bool keeps_async = entry.kind == OpClass::view;
  for (const Type& type : operands) {
    if (type.async && op != Op::wait && !keeps_async)
      inference.fail("an async operand needs a wait first");
  }
  const Device device = common_device(entry.op, inference);
  entry.infer(inference);
  const bool control = entry.kind == OpClass::control;
  const bool own_replication = entry.kind == OpClass::collective || control || op == Op::wait ||
                               op == Op::vary || op == Op::rank_index ||
                               op == Op::optimization_barrier || op == Op::custom_gradient;
  for (Type& type : results) {
    if (!own_replication) type.replication = common_replication(operands);
    if (!keeps_positions(entry)) type.replication.positions = false;
    if (keeps_async && operands[0].async) type.async = true;
    const bool own_device =
        control || op == Op::to_device || (says_own_device(op) && device.is_any());
    if (!own_device) type.device = device;
  }
}

NodeId Builder::node(Op op, std::span<const Value> operands, std::vector<Attribute> attributes) {
  try {
    if (op == Op::wait && operands.size() == 1) {
      if (const auto first = wait_of(operands[0])) return *first;
    }
    complete_attributes(definition(op), attributes);
    std::vector<Value> varied;  // what `operands` shows then
    if (graph_.mesh != nullptr) {
      varied = vary_operands(op, operands, attributes);
      if (!varied.empty()) operands = varied;
    }
    load_types(operands);
    infer_types(op, operand_types_, attributes, graph_.mesh.get(), result_types_);
    const NodeId id = graph_.append(op, operands, std::move(attributes), result_types_, location_);
    if (!calls_.empty()) graph_.set_calls(calls_);
    return id;
  } catch (const UndecidedError& error) {
    if (error.where().known() || !location_.known()) throw;
    throw UndecidedError(error.what(), location_);
  } catch (const TypeError& error) {
    if (error.where().known() || !location_.known()) throw;
    throw TypeError(error.what(), location_);
  }
}

void Builder::load_types(std::span<const Value> operands) {
  operand_types_.clear();
  for (const Value value : operands) operand_types_.push_back(type(value));
}

std::vector<Value> Builder::vary_operands(Op op, std::span<const Value> operands,
                                          std::span<const Attribute> attributes) {
  load_types(operands);
  const auto dimensions = [&](std::size_t i) {
    return dimensions_to_vary(op, operand_types_, i, attributes, graph_.mesh.get());
  };
  std::vector<std::pair<std::size_t, std::uint8_t>> wanted;  // first, since vary() loads types, too
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (dimensions(i) != 0) wanted.emplace_back(i, dimensions(i));
  }
  if (wanted.empty()) return {};
  std::vector<Value> varied(operands.begin(), operands.end());
  for (const auto& [i, over] : wanted) varied[i] = vary(operands[i], over);
  return varied;
}

std::optional<NodeId> Builder::wait_of(Value value) {
  for (; waits_end_ < graph_.node_count(); ++waits_end_) {
    if (graph_.node(waits_end_).op != Op::wait) continue;
    waits_.try_emplace(graph_.operand(waits_end_, 0), waits_end_);
  }
  const auto found = waits_.find(value);
  if (found == waits_.end()) return std::nullopt;
  return found->second;
}

Value Builder::constant(Array array) {
  // As node() would, with less ado: numbers in programs are many.
  const Type type{.dtype = array.dtype(),
                  .shape = array.shape(),
                  .replication = {.dimensions = 0, .literal = true},
                  .device = Device::any()};
  std::vector<Attribute> attributes;
  attributes.emplace_back(share(std::move(array)));
  return graph_.result(
      graph_.append(Op::constant, {}, std::move(attributes), std::span(&type, 1), location_));
}

Value Builder::vary(Value value, std::uint8_t dimensions) {
  return dimensions == 0 ? value : varied(value, dimensions);
}

Value Builder::adapt(Value value, Replication to) {
  if (graph_.mesh == nullptr || !type(value).replication.literal || to.literal) return value;
  return varied(value, static_cast<std::uint8_t>(all_dimensions(*graph_.mesh) & ~to.dimensions));
}

Value Builder::varied(Value value, std::uint8_t dimensions) {
  const auto [found, inserted] = varied_.try_emplace({value, dimensions});
  if (inserted) {
    // At the value's own line: the node belongs to it, not to its first user.
    const Location here = location_;
    location_ = graph_.node(graph_.producer(value)).location;
    found->second = add(Op::vary, {value}, {dimension_names(*graph_.mesh, dimensions)});
    location_ = here;
  }
  return found->second;
}

}  // namespace tutti::ir
