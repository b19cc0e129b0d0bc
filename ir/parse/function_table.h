#pragma once

#include <tutti/ir/function.h>
#include <tutti/ir/text/lexer.h>

#include <string>
#include <unordered_map>

namespace tutti::ir {

// The functions of a text, by name. Those that nodes run come before their first use.
class FunctionTable {
 public:
  explicit FunctionTable(const Lexer& lexer) : lexer_(lexer) {}

  // A function that nodes can run, whose name stands at `offset`.
  void add_private(Graph graph, std::size_t offset);
  // Null for one that no node can run.
  void add(const std::string& name, const FunctionPtr& function, std::size_t offset);
  // The function that nodes can run, of the name that a token says.
  FunctionPtr find(const Token& symbol) const;

 private:
  const Lexer& lexer_;
  std::unordered_map<std::string, FunctionPtr> functions_;
};

}  // namespace tutti::ir
