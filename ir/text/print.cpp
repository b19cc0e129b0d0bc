#include <tutti/ir/builder.h>
#include <tutti/ir/function.h>
#include <tutti/ir/names.h>
#include <tutti/ir/text/group_names.h>
#include <tutti/ir/text/literal.h>
#include <tutti/ir/text/location_text.h>
#include <tutti/ir/text/print.h>
#include <tutti/ir/text/size_text.h>
#include <tutti/ir/text/type_text.h>

#include <algorithm>
#include <unordered_map>

namespace tutti::ir {

namespace {

constexpr std::size_t kLongestSignature = 100;  // a longer one has a line per parameter

// The host goes without saying, and so does `any`, which follows from the ops.
void append_type(std::string& out, const Type& type, const Mesh* mesh,
                 std::string_view shape = {}) {
  append_type(out, type, mesh, false, !type.device.is_cpu() && !type.device.is_any(), shape);
}

// Prints functions to the end of one text.
class Printer {
 public:
  // The store outlives this; null: large constants are in the text.
  explicit Printer(const Graph& graph, const StoreConstant* store = nullptr)
      : graph_(graph), store_(store), sizes_(graph, false) {
    UniqueNames names;
    for (const Parameter& parameter : graph.parameters()) {
      parameter_names_.push_back(names.add(identifier_from(parameter.name, "x")));
    }
  }

  // Calls values by other names.
  Printer(const Graph& graph, std::span<const std::string> names)
      : graph_(graph), store_(nullptr), names_(names), sizes_(graph, false) {
    for (const Parameter& parameter : graph.parameters()) {
      parameter_names_.push_back(names[parameter.value.id]);
    }
  }

  // `names` says what groups and functions are called.
  template <class Names>
  void function(std::string& out, std::string_view name, bool is_private, Names& names) {
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

  // A node's line.
  template <class Names>
  void node(std::string& out, NodeId id, Names& names) {
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

  void value(std::string& out, Value value) const {
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

 private:
  // What follows the name; `column` is where it begins.
  void signature(std::string& out, std::size_t column) {
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

  // Whether only the written type can say where a node's results lie.
  bool lies_anywhere(NodeId id) const {
    return !says_own_device(graph_.node(id).op) &&
           std::ranges::all_of(graph_.operands(id),
                               [&](Value operand) { return graph_.type(operand).device.is_any(); });
  }

  template <class Names>
  void attributes(std::string& out, NodeId id, Names& names) {
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

  // One of whose integers some vary.
  void symbolic_attribute(std::string& out, NodeId id, std::size_t number) {
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

  template <class Names>
  void attribute(std::string& out, const Attribute& attribute, Names& names) const {
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

  const Graph& graph_;
  const StoreConstant* store_;
  std::vector<std::string> parameter_names_;
  std::span<const std::string> names_ = {};  // [value]; empty: the usual ones
  SizeWriter sizes_;
};

// What messages call groups and functions.
struct OwnNames {
  static std::string name(const GroupPtr& group) { return identifier_from(group->tag, "group"); }
  static std::string name(const FunctionPtr& function) {
    return name_or_quoted(function->graph().name);
  }
};

// The text of several functions, with those that their nodes run, each before its first use.
class ModulePrinter {
 public:
  ModulePrinter(std::span<const Graph* const> functions, const StoreConstant& store)
      : store_(&store) {
    for (const Graph* const function : functions) names_.add(function->name);
    for (const Graph* const function : functions) add(*function, Printer(*function, store_));
  }
  // A function whose values are called by other names.
  ModulePrinter(const Graph& function, std::span<const std::string> names,
                const FunctionValueNames& names_inside)
      : names_inside_(&names_inside) {
    names_.add(function.name);
    add(function, Printer(function, names));
  }

  std::string text() const {
    std::string out = "// tutti ir 1\n";
    if (mesh_ != nullptr) append_mesh(out, *mesh_);
    return out + groups_.declarations() + bodies_;
  }

  const std::string& name(const GroupPtr& group) { return groups_.name(group); }
  const std::string& name(const FunctionPtr& function) const {
    return functions_.at(function.get());
  }

 private:
  void add(const Graph& function, Printer printer) {
    take_mesh(function);
    declare_functions(function);
    bodies_ += '\n';
    printer.function(bodies_, name_or_quoted(function.name), false, *this);
  }

  void take_mesh(const Graph& function) {
    const Mesh* const own = function.mesh.get();
    if (first_ == nullptr) {
      first_ = &function;
      mesh_ = own;
    } else if (!(own == mesh_ || (own != nullptr && mesh_ != nullptr && *own == *mesh_))) {
      throw TypeError("the functions of a module share one mesh, but that of @" + function.name +
                      " differs from that of @" + first_->name);
    }
  }

  void declare_functions(const Graph& graph) {
    for (NodeId id = 0; id < graph.node_count(); ++id) {
      for (const Attribute& attribute : graph.node(id).attributes) {
        for (const FunctionPtr& function : functions_of(attribute)) {
          if (function != nullptr && !functions_.contains(function.get())) declare(*function);
        }
      }
    }
  }
  void declare(const Function& function) {
    declare_functions(function.graph());
    const std::string& name =
        functions_.emplace(&function, name_or_quoted(names_.add(function.graph().name)))
            .first->second;
    bodies_ += '\n';
    if (names_inside_ != nullptr && names_inside_->contains(&function)) {
      Printer(function.graph(), names_inside_->at(&function)).function(bodies_, name, true, *this);
    } else {
      Printer(function.graph(), store_).function(bodies_, name, true, *this);
    }
  }

  const StoreConstant* store_ = nullptr;
  const FunctionValueNames* names_inside_ = nullptr;
  const Graph* first_ = nullptr;
  const Mesh* mesh_ = nullptr;
  GroupNames groups_;
  UniqueNames names_;
  std::unordered_map<const Function*, std::string> functions_;
  std::string bodies_;
};

}  // namespace

std::string print(const Module& module, const StoreConstant& store) {
  std::vector<const Graph*> functions;
  for (const Graph& function : module.functions) functions.push_back(&function);
  return ModulePrinter(functions, store).text();
}

std::string print(const Graph& graph, const StoreConstant& store) {
  const Graph* const function = &graph;
  return ModulePrinter({&function, 1}, store).text();
}

std::vector<std::string> value_names(const Graph& graph) {
  const Printer printer(graph);
  std::vector<std::string> out(graph.value_count());
  for (std::uint32_t id = 0; id < out.size(); ++id) {
    printer.value(out[id], {id});
    out[id].erase(0, 1);  // the %
  }
  return out;
}

std::string print(const Graph& graph, std::span<const std::string> names,
                  const FunctionValueNames& names_inside) {
  return ModulePrinter(graph, names, names_inside).text();
}

std::string print(const Type& type, const Mesh* mesh) {
  std::string out;
  append_type(out, type, mesh);
  return out;
}

std::string print(const Graph& graph, NodeId node) {
  std::string out;
  OwnNames names;
  Printer(graph).node(out, node, names);
  return out;
}

std::string print(const Graph& graph, Value value) {
  std::string out;
  Printer(graph).value(out, value);
  return out;
}

}  // namespace tutti::ir
