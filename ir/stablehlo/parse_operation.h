#pragma once

#include <tutti/ir/stablehlo/lexer.h>
#include <tutti/ir/stablehlo/parse_value.h>
#include <tutti/ir/stablehlo/tree.h>

namespace tutti::ir::stablehlo {

// Reads operations: in MLIR's generic form, "op"(operands) <{properties}> ({regions}) {attributes}
// : types, and in the forms that StableHLO, CHLO and Shardy print. Most of these are made alike,
// of operands, words and `name = value`; those that are not have a function of their own.
class OperationParser {
 public:
  OperationParser(Lexer& lexer, ValueParser& values) : lexer_(lexer), values_(values) {}

  // { operations } or { ^bb0(arguments): operations }.
  Region region();
  // (%a: tensor<f32>, ...), with attributes behind types.
  std::vector<BlockArgument> arguments();

 private:
  Operation operation();
  std::vector<ResultName> results();
  Reference operand();
  void generic(Operation& out);
  void pretty(Operation& out);
  void items(Operation& out);
  void named(Operation& out, std::string_view name);
  void slice(Operation& out);
  void reduce(Operation& out);
  void reducer(Operation& out);
  void loop(Operation& out);
  void manual_computation(Operation& out);
  void attributes(Operation& out);
  void types(Operation& out);
  void end(Operation& out);

  Lexer& lexer_;
  ValueParser& values_;
};

}  // namespace tutti::ir::stablehlo
