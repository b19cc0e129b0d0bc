#pragma once

#include <tutti/ir/symbolic_sizes.h>
#include <tutti/ir/text/lexer.h>
#include <tutti/ir/text/size_text.h>
#include <tutti/ir/text/type_text.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tutti::ir {

// What the text of a function says of its sizes that vary, kept until all of it is read: the sizes
// of its values follow from those of its parameters and attributes, and have to be those written.
class WrittenSizes {
 public:
  // The lexer, which outlives this, is at the function's name.
  explicit WrittenSizes(Lexer& lexer) : lexer_(lexer), start_(lexer.peek().offset) {}

  // What the function's sizes are read with.
  SizeReader& reader() { return reader_; }

  void add_parameter(Value value, const WrittenType& written);
  // The type that is written of another value, or of one that is returned.
  void add_value(Value value, const WrittenType& written);
  // The next node, whose op stands at an offset.
  void add_node(std::size_t offset) { node_offsets_.push_back(offset); }
  // An integer of an attribute, by its place in it. Gives its largest value.
  std::int64_t add_integer(NodeId node, std::size_t attribute, std::size_t place,
                           const SizeExpression& value);

  // Finds the sizes of all values, where some vary, and compares them with those written. Nothing
  // is added afterwards.
  void complete(Graph& graph);

 private:
  struct Entry {
    Value value;
    std::size_t offset;
    std::vector<SizeExpression> sizes;  // empty: all are fixed
  };

  std::size_t offset_of(const Graph& graph, NodeId node) const;

  Lexer& lexer_;
  SizeReader reader_;
  const std::size_t start_;  // of the function's name
  SymbolicSizes known_;
  std::vector<Entry> written_;
  std::vector<std::size_t> node_offsets_;  // of the nodes behind the parameters
};

}  // namespace tutti::ir
