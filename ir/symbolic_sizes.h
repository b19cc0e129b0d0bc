#pragma once

#include <tutti/ir/graph.h>
#include <tutti/ir/size_expression.h>

#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

// Programs for many sizes: `f32[n<=64,784]`. Such a graph stands for its instances, one for each
// value of its symbols between their bounds; it is itself the instance at the upper bounds, and
// Graph::sizes says which of its numbers are expressions of the symbols.
namespace tutti::ir {

// Which sizes of a graph vary, and how.
struct SymbolicSizes {
  std::vector<SizeSymbol> symbols;
  std::map<std::pair<std::uint32_t, int>, SizeExpression> dimensions;  // [value's id, dimension]
  // [node, attribute, place among the attribute's integers]
  std::map<std::tuple<NodeId, std::size_t, std::size_t>, SizeExpression> attributes;

  friend bool operator==(const SymbolicSizes&, const SymbolicSizes&) = default;
};

// A size of a value of the graph, which may be a constant.
SizeExpression size_expression(const Graph& graph, Value value, int dimension);
std::vector<SizeExpression> size_expressions(const Graph& graph, Value value);
// Whether a dimension's size varies; any of them.
bool size_varies(const Graph& graph, Value value, int dimension);
bool size_varies(const Graph& graph, Value value);
// An integer of an attribute.
SizeExpression attribute_expression(const Graph& graph, NodeId node, std::size_t attribute,
                                    std::size_t place);
// "f32[n,784]"; and the dimensions alone, "[n,784]".
std::string symbolic_text(const Graph& graph, Value value);
std::string symbolic_shape_text(const Graph& graph, Value value);

// A node, or a parameter, of a graph that does not exist for certain sizes.
class NodeTypeError : public TypeError {
 public:
  NodeTypeError(NodeId node, const std::string& message, Location where)
      : TypeError(message, where), node(node) {}

  const NodeId node;
};

// The program for certain sizes, one for each symbol. Throws NodeTypeError if it does not exist
// for them. A graph without symbols is its only instance.
Graph instance(const Graph& graph, std::span<const std::int64_t> values);

// The same program for sizes up to these, which are above the lower bounds and not above the upper
// ones. Throws like instance().
Graph narrowed(const Graph& graph, std::span<const std::int64_t> most);

// The symbols' values from the arguments' shapes. Throws TypeError, naming the argument, the symbol
// and its bounds, if they do not fit.
std::vector<std::int64_t> solve_sizes(const Graph& graph, std::span<const Shape> arguments);
// A value's shape then.
Shape shape_at(const Graph& graph, Value value, std::span<const std::int64_t> values);

// The symbols of the functions that a graph's nodes run, each name once.
std::vector<SizeSymbol> symbols_of_functions(const Graph& graph);

// "n = 3, m = 4".
std::string values_text(std::span<const SizeSymbol> symbols, std::span<const std::int64_t> values);

}  // namespace tutti::ir
