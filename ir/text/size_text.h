#pragma once

#include <tutti/ir/symbolic_sizes.h>
#include <tutti/ir/text/lexer.h>

#include <cstdint>
#include <string>
#include <vector>

// Sizes in terms of symbols in the text of a function, in both directions: 64, n, 2*n+1. The first
// mention of a symbol in a function has its bounds: n<=64, 3<=n<=64, 2*(n<=64)+1.
namespace tutti::ir {

// Writes the sizes of one function in the order of its text.
class SizeWriter {
 public:
  // `declare`: the first mentions have the bounds.
  SizeWriter(const Graph& graph, bool declare) : graph_(&graph), declare_(declare) {}

  // "[n,10]"; empty for a value whose sizes are fixed.
  std::string shape(Value value);
  // Whether any integer of an attribute varies.
  bool varies(NodeId node, std::size_t attribute) const;
  // An integer of an attribute: "n".
  std::string integer(NodeId node, std::size_t attribute, std::size_t place);

 private:
  std::string text(const SizeExpression& expression);

  const Graph* graph_;
  bool declare_;
  std::uint32_t mentioned_ = 0;
};

// Reads the sizes of one function in the order of its text.
class SizeReader {
 public:
  // Fails at the token with what was expected, and where a symbol is mentioned before its bounds.
  SizeExpression read(Lexer& lexer, std::string_view what);

  const std::vector<SizeSymbol>& symbols() const { return symbols_; }
  // All symbols at their largest values.
  std::vector<std::int64_t> largest() const;

 private:
  SizeExpression sum(Lexer& lexer, std::string_view what, int depth);
  SizeExpression terms(Lexer& lexer, std::string_view what, int depth);
  SizeExpression product(Lexer& lexer, std::string_view what, int depth);
  SizeExpression factor(Lexer& lexer, std::string_view what, int depth);
  SizeExpression symbol(Lexer& lexer, const Token& name, const std::int64_t* least,
                        std::size_t least_at, int depth);

  std::vector<SizeSymbol> symbols_;
  int bounds_at_ = 0;  // how many parentheses are around the bounds that were read last
};

// A list of sizes in brackets: [n, 10], with `after` for messages ("a size", "an integer").
std::vector<SizeExpression> read_sizes(Lexer& lexer, SizeReader& reader, std::string_view before,
                                       std::string_view what, std::size_t most);

}  // namespace tutti::ir
