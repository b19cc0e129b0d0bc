#include <tutti/ir/parse/written_sizes.h>
#include <tutti/ir/sizes/complete_sizes.h>
#include <tutti/ir/text/print.h>

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

namespace tutti::ir {

void WrittenSizes::add_parameter(Value value, const WrittenType& written) {
  for (std::size_t d = 0; d < written.sizes.size(); ++d) {
    if (written.sizes[d].is_constant()) continue;
    known_.dimensions.emplace(std::pair(value.id, static_cast<int>(d)), written.sizes[d]);
  }
}

void WrittenSizes::add_value(Value value, const WrittenType& written) {
  if (reader_.symbols().empty()) return;
  written_.push_back({value, written.offset, written.sizes});
}

std::int64_t WrittenSizes::add_integer(NodeId node, std::size_t attribute, std::size_t place,
                                       const SizeExpression& value) {
  if (!value.is_constant()) known_.attributes.emplace(std::tuple(node, attribute, place), value);
  return value.at(reader_.largest());
}

std::size_t WrittenSizes::offset_of(const Graph& graph, NodeId node) const {
  const std::size_t parameters = graph.parameters().size();
  return node < parameters ? start_ : node_offsets_.at(node - parameters);
}

void WrittenSizes::complete(Graph& graph) {
  const std::vector<SizeSymbol> symbols = reader_.symbols();
  known_.symbols = symbols;
  for (const SizeSymbol& inner : symbols_of_functions(graph)) {
    const bool known = std::ranges::find(symbols, inner.name, &SizeSymbol::name) != symbols.end();
    if (!known) known_.symbols.push_back(inner);
  }
  if (known_.symbols.empty()) return;
  if (known_.symbols.size() > kMostSymbols) {
    lexer_.fail(lexer_.peek().offset, "a function has at most " + std::to_string(kMostSymbols) +
                                          " sizes that vary, with those of functions it runs");
  }
  graph.sizes = std::make_shared<const SymbolicSizes>(std::move(known_));
  try {
    complete_sizes(graph);
  } catch (const NodeTypeError& error) {
    lexer_.fail(offset_of(graph, error.node), error.what());
  }
  std::vector<std::size_t> numbers;  // of the reader's symbols among the graph's
  std::vector<SizeSymbol> own;
  if (graph.sizes != nullptr) own = graph.sizes->symbols;
  for (const SizeSymbol& symbol : symbols) {
    const auto found = std::ranges::find(own, symbol);
    // What nothing depends on is not among them, and is no other's number.
    numbers.push_back(static_cast<std::size_t>(found - own.begin()));
  }
  for (const Entry& written : written_) {
    const Shape& shape = graph.type(written.value).shape;
    for (int d = 0; d < shape.rank(); ++d) {
      const SizeExpression size =
          written.sizes.empty() ? shape[d] : written.sizes[static_cast<std::size_t>(d)];
      if (size.renumbered(numbers) == size_expression(graph, written.value, d)) continue;
      lexer_.fail(written.offset, print(graph, written.value) + " is " +
                                      symbolic_text(graph, written.value) + ", but size " +
                                      std::to_string(d) + " is written as " + size.text(symbols));
    }
  }
}

}  // namespace tutti::ir
