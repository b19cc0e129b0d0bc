#pragma once

#include <tutti/ir/function.h>
#include <tutti/ir/graph.h>
#include <tutti/ir/text/constant_files.h>
#include <tutti/ir/text/size_text.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::ir {

// What groups and functions are called in a text, after the '@'.
class SymbolNames {
 public:
  virtual std::string name(const GroupPtr& group) = 0;
  virtual std::string name(const FunctionPtr& function) = 0;

 protected:
  ~SymbolNames() = default;
};

// Prints a function, or a line of it, to the end of a text.
class FunctionPrinter {
 public:
  // The store outlives this; null: large constants are in the text.
  explicit FunctionPrinter(const Graph& graph, const StoreConstant* store = nullptr);
  // Calls values by other names, which outlive this.
  FunctionPrinter(const Graph& graph, std::span<const std::string> names);

  void function(std::string& out, std::string_view name, bool is_private, SymbolNames& names);
  // A node's line.
  void node(std::string& out, NodeId id, SymbolNames& names);
  // The name of a value, with the '%'.
  void value(std::string& out, Value value) const;

 private:
  // What follows the name; `column` is where it begins.
  void signature(std::string& out, std::size_t column);
  // Whether only the written type can say where a node's results lie.
  bool lies_anywhere(NodeId id) const;
  void attributes(std::string& out, NodeId id, SymbolNames& names);
  // One of whose integers some vary.
  void symbolic_attribute(std::string& out, NodeId id, std::size_t number);
  void attribute(std::string& out, const Attribute& attribute, SymbolNames& names) const;

  const Graph& graph_;
  const StoreConstant* store_;
  std::vector<std::string> parameter_names_;
  std::span<const std::string> names_ = {};  // [value]; empty: the usual ones
  SizeWriter sizes_;
};

}  // namespace tutti::ir
