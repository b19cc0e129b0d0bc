#include <tutti/ir/function.h>
#include <tutti/ir/names.h>
#include <tutti/ir/text/function_printer.h>
#include <tutti/ir/text/group_names.h>
#include <tutti/ir/text/print.h>
#include <tutti/ir/text/type_text.h>

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace tutti::ir {

namespace {

// What messages call groups and functions.
class OwnNames final : public SymbolNames {
 public:
  std::string name(const GroupPtr& group) override { return identifier_from(group->tag, "group"); }
  std::string name(const FunctionPtr& function) override {
    return name_or_quoted(function->graph().name);
  }
};

// The text of several functions, with those that their nodes run, each before its first use.
class ModulePrinter final : public SymbolNames {
 public:
  ModulePrinter(std::span<const Graph* const> functions, const StoreConstant& store)
      : store_(&store) {
    for (const Graph* const function : functions) names_.add(function->name);
    for (const Graph* const function : functions) {
      add(*function, FunctionPrinter(*function, store_));
    }
  }
  // A function whose values are called by other names.
  ModulePrinter(const Graph& function, std::span<const std::string> names,
                const FunctionValueNames& names_inside)
      : names_inside_(&names_inside) {
    names_.add(function.name);
    add(function, FunctionPrinter(function, names));
  }

  std::string text() const {
    std::string out = "// tutti ir 1\n";
    if (mesh_ != nullptr) append_mesh(out, *mesh_);
    return out + groups_.declarations() + bodies_;
  }

  std::string name(const GroupPtr& group) override { return groups_.name(group); }
  std::string name(const FunctionPtr& function) override { return functions_.at(function.get()); }

 private:
  void add(const Graph& function, FunctionPrinter printer) {
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
      FunctionPrinter(function.graph(), names_inside_->at(&function))
          .function(bodies_, name, true, *this);
    } else {
      FunctionPrinter(function.graph(), store_).function(bodies_, name, true, *this);
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
  const FunctionPrinter printer(graph);
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
  FunctionPrinter(graph).node(out, node, names);
  return out;
}

std::string print(const Graph& graph, Value value) {
  std::string out;
  FunctionPrinter(graph).value(out, value);
  return out;
}

}  // namespace tutti::ir
