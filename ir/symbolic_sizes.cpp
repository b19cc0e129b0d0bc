#include <tutti/ir/attribute_integers.h>
#include <tutti/ir/builder.h>
#include <tutti/ir/function.h>
#include <tutti/ir/names.h>
#include <tutti/ir/rewrite.h>
#include <tutti/ir/symbolic_sizes.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <unordered_map>
#include <utility>

namespace tutti::ir {

namespace {

// Makes a graph, and the functions that its nodes run, for certain sizes.
class Instantiation {
 public:
  Instantiation(const Graph& graph, std::span<const std::int64_t> values, bool keeps_sizes)
      : keeps_sizes_(keeps_sizes) {
    if (graph.sizes == nullptr) return;
    const std::vector<SizeSymbol>& symbols = graph.sizes->symbols;
    if (values.size() != symbols.size()) {
      throw InternalError("@" + graph.name + " has " + std::to_string(symbols.size()) +
                          " sizes, not " + std::to_string(values.size()));
    }
    for (std::size_t i = 0; i < values.size(); ++i) values_.emplace(symbols[i].name, values[i]);
  }

  Graph run(const Graph& from) {
    const std::vector<std::int64_t> values = values_of(from);
    Graph out(from.name);
    out.mesh = from.mesh;
    out.default_device = from.default_device;
    for (NodeId id = 0; id < from.node_count(); ++id) {
      if (from.node(id).op == Op::parameter) {
        const Parameter& parameter = from.parameters()[id];
        Type type = from.type(parameter.value);
        try {
          type.shape = shape_at(from, parameter.value, values);
        } catch (const TypeError& error) {
          throw NodeTypeError(id,
                              "for " + values_text(symbols_of(from), values) + ": " + error.what(),
                              from.node(id).location);
        }
        out.add_parameter(parameter.name, type, parameter.donate, from.node(id).location);
      } else {
        node(from, id, values, out);
      }
    }
    out.set_results(from.results());
    copy_shardings(from, out);
    if (keeps_sizes_ && from.sizes != nullptr) {
      const auto sizes = std::make_shared<SymbolicSizes>(*from.sizes);
      for (std::size_t i = 0; i < values.size(); ++i) sizes->symbols[i].most = values[i];
      out.sizes = sizes;
    }
    return out;
  }

 private:
  std::vector<std::int64_t> values_of(const Graph& graph) const {
    std::vector<std::int64_t> out;
    if (graph.sizes == nullptr) return out;
    for (const SizeSymbol& symbol : graph.sizes->symbols) {
      const auto found = values_.find(symbol.name);
      if (found == values_.end()) {
        throw TypeError("@" + name_or_quoted(graph.name) + " has a size " + symbol.name +
                        " that the function which runs it does not have");
      }
      out.push_back(found->second);
    }
    return out;
  }

  void node(const Graph& from, NodeId id, std::span<const std::int64_t> values, Graph& out) {
    const Node& node = from.node(id);
    try {
      std::vector<Attribute> attributes = node.attributes;
      for (std::size_t i = 0; i < attributes.size(); ++i) {
        attributes[i] = attribute(from, id, i, values);
      }
      std::vector<Type> operands;
      for (const Value operand : from.operands(id)) operands.push_back(out.type(operand));
      const std::vector<Type> types = infer_types(node.op, operands, attributes, from.mesh.get());
      const NodeId made =
          out.append(node.op, from.operands(id), std::move(attributes), types, node.location);
      keep_places(from, id, out, made);
      out.set_calls(from.calls(id));
      out.set_fusion(made, node.fusion);
    } catch (const NodeTypeError& error) {
      throw NodeTypeError(id, error.what(), {});  // of a function that it runs
    } catch (const TypeError& error) {
      throw NodeTypeError(id, "for " + values_text(symbols_of(from), values) + ": " + error.what(),
                          node.location);
    }
  }

  static std::span<const SizeSymbol> symbols_of(const Graph& graph) {
    if (graph.sizes == nullptr) return {};
    return graph.sizes->symbols;
  }

  Attribute attribute(const Graph& from, NodeId id, std::size_t number,
                      std::span<const std::int64_t> values) {
    const Attribute& attribute = from.node(id).attributes[number];
    if (const auto* const one = std::get_if<FunctionPtr>(&attribute)) return function(*one);
    if (const auto* const list = std::get_if<std::vector<FunctionPtr>>(&attribute)) {
      std::vector<FunctionPtr> out;
      for (const FunctionPtr& one : *list) out.push_back(function(one));
      return out;
    }
    if (from.sizes == nullptr) return attribute;
    const auto first = from.sizes->attributes.lower_bound({id, number, 0});
    const auto last = from.sizes->attributes.lower_bound({id, number + 1, 0});
    if (first == last) return attribute;
    std::vector<std::int64_t> integers = integers_of(attribute);
    for (auto entry = first; entry != last; ++entry) {
      integers[std::get<2>(entry->first)] = entry->second.at(values);
    }
    return with_integers(attribute, integers);
  }

  FunctionPtr function(const FunctionPtr& from) {
    if (const auto known = functions_.find(from.get()); known != functions_.end()) {
      return known->second;
    }
    FunctionPtr out = from;
    if (from->graph().sizes != nullptr || has_functions(from->graph())) {
      out = std::make_shared<const Function>(run(from->graph()));
    }
    return functions_.emplace(from.get(), out).first->second;
  }

  const bool keeps_sizes_;  // with the values as upper bounds
  std::unordered_map<std::string, std::int64_t> values_;
  std::unordered_map<const Function*, FunctionPtr> functions_;
};

std::string where(const Graph& graph, std::size_t parameter, int dimension) {
  return "dimension " + std::to_string(dimension) + " of argument %" +
         graph.parameters()[parameter].name;
}

}  // namespace

SizeExpression size_expression(const Graph& graph, Value value, int dimension) {
  if (graph.sizes != nullptr) {
    const auto found = graph.sizes->dimensions.find({value.id, dimension});
    if (found != graph.sizes->dimensions.end()) return found->second;
  }
  return graph.type(value).shape[dimension];
}

std::vector<SizeExpression> size_expressions(const Graph& graph, Value value) {
  std::vector<SizeExpression> out;
  for (int d = 0; d < graph.type(value).shape.rank(); ++d) {
    out.push_back(size_expression(graph, value, d));
  }
  return out;
}

bool size_varies(const Graph& graph, Value value, int dimension) {
  return graph.sizes != nullptr && graph.sizes->dimensions.contains({value.id, dimension});
}

bool size_varies(const Graph& graph, Value value) {
  if (graph.sizes == nullptr) return false;
  const auto found = graph.sizes->dimensions.lower_bound({value.id, 0});
  return found != graph.sizes->dimensions.end() && found->first.first == value.id;
}

SizeExpression attribute_expression(const Graph& graph, NodeId node, std::size_t attribute,
                                    std::size_t place) {
  if (graph.sizes != nullptr) {
    const auto found = graph.sizes->attributes.find({node, attribute, place});
    if (found != graph.sizes->attributes.end()) return found->second;
  }
  return integers_of(graph.node(node).attributes[attribute])[place];
}

std::string symbolic_shape_text(const Graph& graph, Value value) {
  if (!size_varies(graph, value)) return graph.type(value).shape.text();
  std::string out = "[";
  for (int d = 0; d < graph.type(value).shape.rank(); ++d) {
    if (d != 0) out += ',';
    out += size_expression(graph, value, d).text(graph.sizes->symbols);
  }
  return out + "]";
}

std::string symbolic_text(const Graph& graph, Value value) {
  return std::string(name_of(graph.type(value).dtype)) + symbolic_shape_text(graph, value);
}

Graph instance(const Graph& graph, std::span<const std::int64_t> values) {
  return Instantiation(graph, values, false).run(graph);
}

Graph narrowed(const Graph& graph, std::span<const std::int64_t> most) {
  return Instantiation(graph, most, true).run(graph);
}

std::vector<std::int64_t> solve_sizes(const Graph& graph, std::span<const Shape> arguments) {
  if (graph.sizes == nullptr) return {};
  if (arguments.size() != graph.parameters().size()) {
    throw TypeError("@" + graph.name + " takes " + std::to_string(graph.parameters().size()) +
                    " arguments, not " + std::to_string(arguments.size()));
  }
  const auto& symbols = graph.sizes->symbols;
  std::vector<std::optional<std::int64_t>> values(symbols.size());
  std::vector<std::string> first(symbols.size());
  const auto each = [&](auto&& visit) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const Value value = graph.parameters()[i].value;
      if (arguments[i].rank() != graph.type(value).shape.rank()) {
        throw TypeError("argument %" + graph.parameters()[i].name + " of @" + graph.name + " is " +
                        symbolic_text(graph, value) + ", not of shape " + arguments[i].text());
      }
      for (int d = 0; d < arguments[i].rank(); ++d) {
        if (size_varies(graph, value, d)) visit(i, d, size_expression(graph, value, d));
      }
    }
  };
  each([&](std::size_t i, int d, const SizeExpression& expression) {
    if (std::popcount(expression.symbols_used()) != 1) return;
    const auto number = static_cast<std::size_t>(std::countr_zero(expression.symbols_used()));
    if (values[number]) return;
    const std::int64_t factor = expression.coefficient(expression.symbols_used());
    const std::int64_t rest = arguments[i][d] - expression.coefficient(0);
    if (rest % factor != 0) {
      throw TypeError(where(graph, i, d) + " has size " + std::to_string(arguments[i][d]) +
                      ", which is not " + expression.text(symbols) + " for any " +
                      symbols[number].name);
    }
    const std::int64_t value = rest / factor;
    const SizeSymbol& symbol = symbols[number];
    if (value < symbol.least || value > symbol.most) {
      throw TypeError(where(graph, i, d) + " has size " + std::to_string(arguments[i][d]) +
                      ", so that " + symbol.name + " is " + std::to_string(value) +
                      "; the program takes " + std::to_string(symbol.least) + " <= " + symbol.name +
                      " <= " + std::to_string(symbol.most));
    }
    values[number] = value;
    first[number] = where(graph, i, d);
  });
  std::vector<std::int64_t> out;
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    if (!values[i]) {
      throw TypeError("the size " + symbols[i].name + " of @" + graph.name +
                      " does not follow from the arguments' shapes; a parameter needs it, or a "
                      "multiple of it plus a number, as a dimension");
    }
    out.push_back(*values[i]);
  }
  each([&](std::size_t i, int d, const SizeExpression& expression) {
    const std::int64_t wanted = expression.at(out);
    if (wanted == arguments[i][d]) return;
    std::string message = where(graph, i, d) + " has size " + std::to_string(arguments[i][d]) +
                          ", but " + expression.text(symbols) + " is " + std::to_string(wanted);
    for (std::size_t n = 0; n < symbols.size(); ++n) {
      if ((expression.symbols_used() >> n & 1) != 0) {
        message += "; " + symbols[n].name + " = " + std::to_string(out[n]) + " by " + first[n];
      }
    }
    throw TypeError(message);
  });
  return out;
}

Shape shape_at(const Graph& graph, Value value, std::span<const std::int64_t> values) {
  const Shape& shape = graph.type(value).shape;
  if (!size_varies(graph, value)) return shape;
  std::vector<std::int64_t> sizes;
  for (int d = 0; d < shape.rank(); ++d) {
    sizes.push_back(size_expression(graph, value, d).at(values));
  }
  return Shape(sizes);
}

std::vector<SizeSymbol> symbols_of_functions(const Graph& graph) {
  std::vector<SizeSymbol> out;
  for (NodeId id = 0; id < graph.node_count(); ++id) {
    for (const Attribute& attribute : graph.node(id).attributes) {
      for (const FunctionPtr& function : functions_of(attribute)) {
        if (function->graph().sizes == nullptr) continue;
        for (const SizeSymbol& symbol : function->graph().sizes->symbols) {
          const bool known = std::ranges::find(out, symbol.name, &SizeSymbol::name) != out.end();
          if (!known) out.push_back(symbol);
        }
      }
    }
  }
  return out;
}

std::string values_text(std::span<const SizeSymbol> symbols, std::span<const std::int64_t> values) {
  std::string out;
  for (std::size_t i = 0; i < symbols.size() && i < values.size(); ++i) {
    out += (i == 0 ? "" : ", ") + symbols[i].name + " = " + std::to_string(values[i]);
  }
  return out;
}

}  // namespace tutti::ir
