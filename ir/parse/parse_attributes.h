#pragma once

#include <tutti/ir/attribute.h>
#include <tutti/ir/graph.h>
#include <tutti/ir/parse/function_table.h>
#include <tutti/ir/parse/written_sizes.h>
#include <tutti/ir/text/constant_files.h>
#include <tutti/ir/text/lexer.h>
#include <tutti/ir/text/parse_group.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tutti::ir {

// Reads the attributes of a function's nodes.
class AttributeParser {
 public:
  // All outlive this. What attributes say of sizes that vary is added to `sizes`.
  AttributeParser(Lexer& lexer, GroupParser& groups, const FunctionTable& functions,
                  const LoadConstant& load, WrittenSizes& sizes)
      : lexer_(lexer), groups_(groups), functions_(functions), load_(load), sizes_(sizes) {}

  // { axes = [0], keepdims = true, fusion = 3 }, in any order: those of the node of that number,
  // whose op stands at `word`, as its definition lists them. `fusion` is set if it is given.
  std::vector<Attribute> read(Op op, const Token& word, NodeId node, std::int32_t& fusion);

 private:
  Attribute attribute(AttributeKind kind);
  // An integer of the attribute that is being read, perhaps in terms of sizes that vary.
  std::int64_t integer(const SizeExpression& value, std::size_t place);
  std::vector<std::int64_t> integers();
  FunctionPtr function();
  std::vector<FunctionPtr> functions();
  std::vector<Type> plain_types();
  std::int32_t fusion();
  [[noreturn]] void fail_unknown_attribute(Op op, const Token& name) const;

  Lexer& lexer_;
  GroupParser& groups_;
  const FunctionTable& functions_;
  const LoadConstant& load_;
  WrittenSizes& sizes_;
  NodeId node_ = 0;
  std::size_t attribute_ = 0;  // the number of the one that is being read
};

}  // namespace tutti::ir
