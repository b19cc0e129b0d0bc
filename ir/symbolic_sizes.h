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

// What a program is at certain sizes.
struct Sample {
  std::vector<std::int64_t> values;
  Graph graph;
};
// The program for all sizes from what it is at corners(symbols), which are the first samples, in
// that order; the others are there to check. Scalar constants that are a size, or one over a size,
// become `size` nodes. Throws NodeTypeError if the samples differ in more than numbers, or these
// are no expressions of the symbols.
Graph merge_samples(std::span<const SizeSymbol> symbols, std::span<const Sample> samples);

// Finds the sizes of all values of a graph of which the parameters' and the attributes' sizes are
// known, and checks that the program exists at the bounds: where all symbols are largest, and where
// one of them is smallest. Throws NodeTypeError. The symbols are in the order of their names from
// then on.
void complete_sizes(Graph& graph);

// Raises the lower bounds to the smallest sizes for which the program exists, those of the other
// symbols being largest, and says for each that it raised why: "3 <= n: for n = 2: slice: ...".
std::vector<std::string> raise_lower_bounds(Graph& graph);

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
