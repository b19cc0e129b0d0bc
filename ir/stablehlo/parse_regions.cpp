#include <tutti/ir/stablehlo/parse_operation.h>

// The forms of operations with regions that are like no other.
namespace tutti::ir::stablehlo {

// reduce(%x init: %c), (%y init: %d) applies stablehlo.add across dimensions = [1] : types
// reduce(...) across dimensions = [1] : types reducer(%a: T, %b: T) (%c: T, %d: T) {...}
void OperationParser::reduce(Operation& out) {
  std::vector<Reference> initial;
  do {
    lexer_.expect("(", "before an operand and its initial value");
    out.operands.push_back(operand());
    lexer_.expect("init", "after the operand of a reduction");
    lexer_.expect(":", "after 'init'");
    initial.push_back(operand());
    lexer_.expect(")", "after an initial value");
  } while (lexer_.accept(","));
  const std::size_t count = out.operands.size();
  out.operands.insert(out.operands.end(), initial.begin(), initial.end());
  std::string combination;
  Token applied;
  if (lexer_.accept("applies")) {
    applied = lexer_.expect(Token::Kind::word, "an operation, as in stablehlo.add");
    combination = applied.text;
  }
  lexer_.expect("across", "and the dimensions of the reduction");
  lexer_.expect("dimensions", "after 'across'");
  lexer_.expect("=", "after 'dimensions'");
  out.attributes.add("dimensions", values_.value(false));
  if (lexer_.peek().is("{")) attributes(out);
  types(out);
  if (combination.empty()) {
    reducer(out);
    return;
  }
  if (count != 1 || out.result_types.size() != 1) {
    lexer_.fail(applied.offset, "'applies' is for reductions of one operand");
  }
  // What it stands for.
  TreeType scalar = out.result_types[0];
  scalar.shape = Shape();
  Region region;
  for (const std::string_view name : {"(a)", "(b)"}) {
    region.arguments.push_back({.name = name, .type = scalar, .attributes = {}, .offset = 0});
  }
  Operation combine;
  combine.name = combination;
  combine.offset = applied.offset;
  combine.line = out.line;
  combine.operands = {{.name = "(a)", .index = 0, .offset = applied.offset},
                      {.name = "(b)", .index = 0, .offset = applied.offset}};
  combine.results = {{.name = "(r)", .count = 1, .offset = applied.offset}};
  combine.result_types = {scalar};
  combine.attributes.kind = Attribute::Kind::container;
  Operation last;
  last.name = "stablehlo.return";
  last.offset = applied.offset;
  last.operands = {{.name = "(r)", .index = 0, .offset = applied.offset}};
  region.operations.push_back(std::move(combine));
  region.operations.push_back(std::move(last));
  out.regions.push_back(std::move(region));
}

// Each parenthesis has the two arguments of one operand; the region's are all first ones, then all
// second ones.
void OperationParser::reducer(Operation& out) {
  lexer_.expect("reducer", "and the region of a reduction");
  std::vector<BlockArgument> first;
  std::vector<BlockArgument> second;
  while (lexer_.peek().is("(")) {
    const std::size_t offset = lexer_.peek().offset;
    std::vector<BlockArgument> both = arguments();
    if (both.size() != 2) lexer_.fail(offset, "a reducer has two arguments for each operand");
    first.push_back(std::move(both[0]));
    second.push_back(std::move(both[1]));
  }
  Region body = region();
  body.arguments = std::move(first);
  body.arguments.insert(body.arguments.end(), second.begin(), second.end());
  out.regions.push_back(std::move(body));
}

// while(%a = %x, %b = %y) : T, T attributes {...} cond {...} do {...}
void OperationParser::loop(Operation& out) {
  std::vector<BlockArgument> carried;
  lexer_.expect("(", "after 'while'");
  while (!lexer_.accept(")")) {
    const Token name = lexer_.expect(Token::Kind::value, "a carried value, as in %a = %x");
    lexer_.expect("=", "after a carried value's name");
    out.operands.push_back(operand());
    carried.push_back({.name = name.text, .type = {}, .attributes = {}, .offset = name.offset});
    lexer_.accept(",");
  }
  if (lexer_.accept(":")) {
    std::vector<TreeType> list;
    do list.push_back(values_.type());
    while (lexer_.accept(","));
    if (list.size() != carried.size()) {
      lexer_.fail(out.offset, "a loop carries " + std::to_string(carried.size()) + " values, but " +
                                  std::to_string(list.size()) + " types are written");
    }
    for (std::size_t i = 0; i < carried.size(); ++i) carried[i].type = list[i];
    out.result_types = std::move(list);
  }
  if (lexer_.accept("attributes")) attributes(out);
  lexer_.expect("cond", "and the loop's condition");
  for (const bool last : {false, true}) {
    if (last) lexer_.expect("do", "and the loop's body");
    Region part = region();
    part.arguments = carried;
    out.regions.push_back(std::move(part));
  }
}

// manual_computation(%x) in_shardings=[...] out_shardings=[...] manual_axes={...} (%a: T) {...} :
// types
void OperationParser::manual_computation(Operation& out) {
  lexer_.expect("(", "after 'manual_computation'");
  if (!lexer_.accept(")")) {
    do out.operands.push_back(operand());
    while (lexer_.accept(","));
    lexer_.expect(")", "or ',' after an operand");
  }
  while (lexer_.peek().kind == Token::Kind::word) {
    const Token name = lexer_.take();
    lexer_.expect("=", "after an attribute's name");
    out.attributes.add(name.text, values_.value(false));
  }
  std::vector<BlockArgument> given = arguments();
  Region body = region();
  body.arguments = std::move(given);
  out.regions.push_back(std::move(body));
  if (lexer_.peek().is("{")) attributes(out);
  types(out);
}

}  // namespace tutti::ir::stablehlo
