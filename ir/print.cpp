#include <tutti/ir/builder.h>
#include <tutti/ir/group_names.h>
#include <tutti/ir/literal.h>
#include <tutti/ir/location_text.h>
#include <tutti/ir/names.h>
#include <tutti/ir/print.h>
#include <tutti/ir/type_text.h>

#include <algorithm>

namespace tutti::ir {

namespace {

constexpr std::size_t kLongestSignature = 100;  // a longer one has a line per parameter

// The host goes without saying, and so does `any`, which follows from the ops.
void append_type(std::string& out, const Type& type, const Mesh* mesh) {
  append_type(out, type, mesh, false, !type.device.is_cpu() && !type.device.is_any());
}

// Prints functions to the end of one text.
class Printer {
 public:
  explicit Printer(const Graph& graph, const StoreConstant* store = nullptr)
      : graph_(graph), store_(store) {
    UniqueNames names;
    for (const Parameter& parameter : graph.parameters()) {
      parameter_names_.push_back(names.add(identifier_from(parameter.name, "x")));
    }
  }

  void function(std::string& out, GroupNames& groups) const {
    signature(out);
    for (NodeId id = 0; id < graph_.node_count(); ++id) {
      if (graph_.node(id).op == Op::parameter) continue;
      const std::size_t begin = out.size();
      out += "  ";
      node(out, id, [&](const GroupPtr& group) { return groups.name(group); });
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

  // A node's line, with groups named by a function.
  template <class GroupName>
  void node(std::string& out, NodeId id, GroupName&& group_name) const {
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
    attributes(out, node, group_name);
    for (std::uint32_t i = 0; i < node.result_count; ++i) {
      out += i == 0 ? " : " : ", ";
      const Type& type = graph_.type(graph_.result(id, i));
      if (type.device.is_cpu() && lies_anywhere(id)) {
        append_type(out, type, graph_.mesh.get(), false, true);
      } else {
        append_type(out, type, graph_.mesh.get());
      }
    }
  }

  void value(std::string& out, Value value) const {
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

 private:
  void signature(std::string& out) const {
    std::vector<std::string> parameters;
    std::size_t length = 0;
    for (std::size_t i = 0; i < graph_.parameters().size(); ++i) {
      const Parameter& parameter = graph_.parameters()[i];
      const Type& type = graph_.type(parameter.value);
      std::string text = "%" + parameter_names_[i] + ": ";
      const Device silent = is_number(type) ? Device::any() : Device::cpu();
      append_type(text, type, graph_.mesh.get(), type.replication.literal, type.device != silent);
      if (parameter.donate) text += " {donate}";
      length += text.size() + (i == 0 ? 0 : 2);
      parameters.push_back(std::move(text));
    }
    std::string results;
    for (const Value result : graph_.results()) {
      if (!results.empty()) results += ", ";
      append_type(results, graph_.type(result), graph_.mesh.get());
    }
    const std::string name = "func @" + name_or_quoted(graph_.name) + "(";
    const std::size_t rest = std::string_view(") -> () {").size() + results.size();
    const bool one_line = name.size() + length + rest <= kLongestSignature;
    out += name;
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

  // Whether only the written type can say where a node's results lie.
  bool lies_anywhere(NodeId id) const {
    return !says_own_device(graph_.node(id).op) &&
           std::ranges::all_of(graph_.operands(id),
                               [&](Value operand) { return graph_.type(operand).device.is_any(); });
  }

  template <class GroupName>
  void attributes(std::string& out, const Node& node, GroupName&& group_name) const {
    const auto& specs = definition(node.op).attributes;
    bool first = true;
    const auto begin = [&](std::string_view name) {
      out += first ? " {" : ", ";
      first = false;
      out += name;
      out += " = ";
    };
    for (std::size_t i = 0; i < node.attributes.size() && i < specs.size(); ++i) {
      if (specs[i].standard && equal(node.attributes[i], *specs[i].standard)) continue;
      begin(specs[i].name);
      attribute(out, node.attributes[i], group_name);
    }
    if (node.fusion >= 0) {
      begin("fusion");
      out += std::to_string(node.fusion);
    }
    if (!first) out += '}';
  }

  template <class GroupName>
  void attribute(std::string& out, const Attribute& attribute, GroupName&& group_name) const {
    std::visit(
        [&]<class T>(const T& value) {
          if constexpr (std::is_same_v<T, std::int64_t>) {
            out += std::to_string(value);
          } else if constexpr (std::is_same_v<T, double>) {
            append_number(out, value);
          } else if constexpr (std::is_same_v<T, bool>) {
            out += value ? "true" : "false";
          } else if constexpr (std::is_same_v<T, std::string>) {
            out += quoted(value);
          } else if constexpr (std::is_same_v<T, std::vector<std::int64_t>>) {
            append_integers(out, value);
          } else if constexpr (std::is_same_v<T, DType>) {
            out += name_of(value);
          } else if constexpr (std::is_same_v<T, GroupPtr>) {
            out += value == nullptr ? "null" : "@" + group_name(value);
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

  const Graph& graph_;
  const StoreConstant* store_;
  std::vector<std::string> parameter_names_;
};

std::string print_functions(std::span<const Graph* const> functions, const StoreConstant& store) {
  GroupNames groups;
  std::string bodies;
  const Mesh* mesh = nullptr;
  for (const Graph* const function : functions) {
    const Mesh* const own = function->mesh.get();
    if (function != functions.front() &&
        !(own == mesh || (own != nullptr && mesh != nullptr && *own == *mesh))) {
      throw TypeError("the functions of a module share one mesh, but that of @" + function->name +
                      " differs from that of @" + functions.front()->name);
    }
    mesh = own;
    bodies += '\n';
    Printer(*function, &store).function(bodies, groups);
  }
  std::string out = "// tutti ir 1\n";
  if (mesh != nullptr) append_mesh(out, *mesh);
  return out + groups.declarations() + bodies;
}

}  // namespace

std::string print(const Module& module, const StoreConstant& store) {
  std::vector<const Graph*> functions;
  for (const Graph& function : module.functions) functions.push_back(&function);
  return print_functions(functions, store);
}

std::string print(const Graph& graph, const StoreConstant& store) {
  const Graph* const function = &graph;
  return print_functions({&function, 1}, store);
}

std::string print(const Type& type, const Mesh* mesh) {
  std::string out;
  append_type(out, type, mesh);
  return out;
}

std::string print(const Graph& graph, NodeId node) {
  std::string out;
  Printer(graph).node(out, node,
                      [](const GroupPtr& group) { return identifier_from(group->tag, "group"); });
  return out;
}

std::string print(const Graph& graph, Value value) {
  std::string out;
  Printer(graph).value(out, value);
  return out;
}

}  // namespace tutti::ir
