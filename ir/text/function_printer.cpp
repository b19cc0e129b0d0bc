#include <tutti/ir/builder.h>
#include <tutti/ir/names.h>
#include <tutti/ir/text/function_printer.h>
#include <tutti/ir/text/literal.h>
#include <tutti/ir/text/location_text.h>
#include <tutti/ir/text/type_text.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <variant>

namespace tutti::ir {

namespace {

constexpr std::size_t kLongestSignature = 100;  // a longer one has a line per parameter

}  // namespace

FunctionPrinter::FunctionPrinter(const Graph& graph, const StoreConstant* store)
    : graph_(graph), store_(store), sizes_(graph, false) {
  UniqueNames names;
  for (const Parameter& parameter : graph.parameters()) {
    parameter_names_.push_back(names.add(identifier_from(parameter.name, "x")));
  }
}

FunctionPrinter::FunctionPrinter(const Graph& graph, std::span<const std::string> names)
    : graph_(graph), store_(nullptr), names_(names), sizes_(graph, false) {
  for (const Parameter& parameter : graph.parameters()) {
    parameter_names_.push_back(names[parameter.value.id]);
  }
}

void FunctionPrinter::function(std::string& out, std::string_view name, bool is_private,
                               SymbolNames& names) {
  sizes_ = SizeWriter(graph_, true);
  out += is_private ? "private func @" : "func @";
  out += name;
  signature(out, name.size() + (is_private ? 14 : 6));
  for (NodeId id = 0; id < graph_.node_count(); ++id) {
    if (graph_.node(id).op == Op::parameter) continue;
    const std::size_t begin = out.size();
    out += "  ";
    node(out, id, names);
    append_location(out, graph_.node(id).location, out.size() - begin);
    out += '\n';
  }
  out += "  return";
  for (std::size_t i = 0; i < graph_.results().size(); ++i) {
    out += i == 0 ? " " : ", ";
    value(out, graph_.results()[i]);
  }
  out += "\n}\n";
}

void FunctionPrinter::node(std::string& out, NodeId id, SymbolNames& names) {
  const Node& node = graph_.node(id);
  for (std::uint32_t i = 0; i < node.result_count; ++i) {
    if (i != 0) out += ", ";
    value(out, graph_.result(id, i));
  }
  if (node.result_count != 0) out += " = ";
  out += name_of(node.op);
  out += '(';
  for (std::uint32_t i = 0; i < node.operand_count; ++i) {
    if (i != 0) out += ", ";
    value(out, graph_.operand(id, i));
  }
  out += ')';
  attributes(out, id, names);
  for (std::uint32_t i = 0; i < node.result_count; ++i) {
    out += i == 0 ? " : " : ", ";
    const Type& type = graph_.type(graph_.result(id, i));
    const std::string shape = sizes_.shape(graph_.result(id, i));
    if (type.device.is_cpu() && lies_anywhere(id)) {
      append_type(out, type, graph_.mesh.get(), false, true, shape);
    } else {
      append_type(out, type, graph_.mesh.get(), shape);
    }
  }
}

void FunctionPrinter::value(std::string& out, Value value) const {
  if (!names_.empty()) {
    out += '%';
    out += names_[value.id];
    return;
  }
  // Parameters are in order of their values, so this counts those before the value.
  const auto& parameters = graph_.parameters();
  const auto found = std::lower_bound(
      parameters.begin(), parameters.end(), value,
      [](const Parameter& parameter, Value wanted) { return parameter.value < wanted; });
  const auto before = static_cast<std::size_t>(found - parameters.begin());
  out += '%';
  if (found != parameters.end() && found->value == value) {
    out += parameter_names_[before];
  } else {
    out += std::to_string(value.id - before);
  }
}

void FunctionPrinter::signature(std::string& out, std::size_t column) {
  std::vector<std::string> parameters;
  std::size_t length = 0;
  for (std::size_t i = 0; i < graph_.parameters().size(); ++i) {
    const Parameter& parameter = graph_.parameters()[i];
    const Type& type = graph_.type(parameter.value);
    std::string text = "%" + parameter_names_[i] + ": ";
    const Device silent = is_number(type) ? Device::any() : Device::cpu();
    append_type(text, type, graph_.mesh.get(), type.replication.literal, type.device != silent,
                sizes_.shape(parameter.value));
    if (parameter.donate || !parameter.sharding.empty()) {
      text += parameter.donate ? " {donate" : " {";
      if (parameter.donate && !parameter.sharding.empty()) text += ", ";
      if (!parameter.sharding.empty()) {
        text += "sharding = ";
        append_sharding(text, parameter.sharding);
      }
      text += '}';
    }
    length += text.size() + (i == 0 ? 0 : 2);
    parameters.push_back(std::move(text));
  }
  std::string results;
  for (std::size_t i = 0; i < graph_.results().size(); ++i) {
    if (i != 0) results += ", ";
    append_type(results, graph_.type(graph_.results()[i]), graph_.mesh.get(),
                sizes_.shape(graph_.results()[i]));
    const Sharding& sharding = graph_.result_sharding(i);
    if (sharding.empty()) continue;
    results += " {sharding = ";
    append_sharding(results, sharding);
    results += '}';
  }
  const std::size_t rest = std::string_view("() -> () {").size() + results.size();
  const bool one_line = column + length + rest <= kLongestSignature;
  out += '(';
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    out += i == 0 ? "" : ",";
    out += one_line ? (i == 0 ? "" : " ") : "\n    ";
    out += parameters[i];
  }
  out += one_line || parameters.empty() ? "" : "\n";
  out += ") -> (" + results + ")";
  if (!graph_.default_device.is_cpu()) out += " on " + graph_.default_device.text();
  out += " {\n";
}

bool FunctionPrinter::lies_anywhere(NodeId id) const {
  return !says_own_device(graph_.node(id).op) &&
         std::ranges::all_of(graph_.operands(id),
                             [&](Value operand) { return graph_.type(operand).device.is_any(); });
}

void FunctionPrinter::attributes(std::string& out, NodeId id, SymbolNames& names) {
  const Node& node = graph_.node(id);
  const auto& specs = definition(node.op).attributes;
  bool first = true;
  const auto begin = [&](std::string_view name) {
    out += first ? " {" : ", ";
    first = false;
    out += name;
    out += " = ";
  };
  for (std::size_t i = 0; i < node.attributes.size() && i < specs.size(); ++i) {
    const bool varies = sizes_.varies(id, i);
    if (!varies && specs[i].standard && equal(node.attributes[i], *specs[i].standard)) continue;
    begin(specs[i].name);
    if (varies) {
      symbolic_attribute(out, id, i);
    } else {
      attribute(out, node.attributes[i], names);
    }
  }
  if (node.fusion >= 0) {
    begin("fusion");
    out += std::to_string(node.fusion);
  }
  if (!first) out += '}';
}

void FunctionPrinter::symbolic_attribute(std::string& out, NodeId id, std::size_t number) {
  const Attribute& attribute = graph_.node(id).attributes[number];
  if (std::holds_alternative<std::int64_t>(attribute)) {
    out += sizes_.integer(id, number, 0);
    return;
  }
  std::size_t place = 0;
  out += '[';
  if (const auto* const types = std::get_if<std::vector<Type>>(&attribute)) {
    for (std::size_t i = 0; i < types->size(); ++i) {
      std::string shape = "[";
      for (int d = 0; d < (*types)[i].shape.rank(); ++d) {
        shape += (d == 0 ? "" : ",") + sizes_.integer(id, number, place++);
      }
      if (i != 0) out += ", ";
      append_type(out, (*types)[i], graph_.mesh.get(), shape + "]");
    }
  } else {
    const std::size_t count = std::get<std::vector<std::int64_t>>(attribute).size();
    for (; place < count; ++place) {
      out += (place == 0 ? "" : ", ") + sizes_.integer(id, number, place);
    }
  }
  out += ']';
}

void FunctionPrinter::attribute(std::string& out, const Attribute& attribute,
                                SymbolNames& names) const {
  std::visit(
      [&]<class T>(const T& value) {
        if constexpr (std::is_same_v<T, std::int64_t>) {
          out += std::to_string(value);
        } else if constexpr (std::is_same_v<T, double>) {
          append_number(out, value);
        } else if constexpr (std::is_same_v<T, bool>) {
          out += value ? "true" : "false";
        } else if constexpr (std::is_same_v<T, std::string>) {
          out += ir::quoted(value);
        } else if constexpr (std::is_same_v<T, std::vector<std::int64_t>>) {
          append_integers(out, value);
        } else if constexpr (std::is_same_v<T, DType>) {
          out += name_of(value);
        } else if constexpr (std::is_same_v<T, GroupPtr>) {
          out += value == nullptr ? "null" : "@" + names.name(value);
        } else if constexpr (std::is_same_v<T, FunctionPtr>) {
          out += value == nullptr ? "null" : "@" + names.name(value);
        } else if constexpr (std::is_same_v<T, std::vector<FunctionPtr>>) {
          out += '[';
          for (std::size_t i = 0; i < value.size(); ++i) {
            out += i == 0 ? "@" : ", @";
            out += names.name(value[i]);
          }
          out += ']';
        } else if constexpr (std::is_same_v<T, std::vector<Type>>) {
          out += '[';
          for (std::size_t i = 0; i < value.size(); ++i) {
            if (i != 0) out += ", ";
            append_type(out, value[i], graph_.mesh.get());
          }
          out += ']';
        } else if (value == nullptr) {
          out += "null";
        } else {
          append_array(out, *value, store_ == nullptr ? StoreConstant() : *store_);
        }
      },
      attribute);
}

}  // namespace tutti::ir
