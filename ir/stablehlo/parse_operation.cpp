#include <tutti/ir/stablehlo/parse_operation.h>

#include <charconv>
#include <limits>
#include <system_error>

namespace tutti::ir::stablehlo {

namespace {

constexpr std::size_t kMostResults = 1'000'000;  // of an operation

// The largest number for what is none, or too large: there are never so many.
std::size_t read_size(std::string_view digits) {
  std::size_t out = 0;
  const char* const end = digits.data() + digits.size();
  const auto [read, error] = std::from_chars(digits.data(), end, out);
  return error == std::errc() && read == end ? out : std::numeric_limits<std::size_t>::max();
}

}  // namespace

Region OperationParser::region() {
  const ValueParser::Level level(values_);
  Region out;
  const std::size_t offset = lexer_.peek().offset;
  lexer_.expect("{", "before a region");
  if (lexer_.peek().kind == Token::Kind::block) {
    lexer_.take();
    if (lexer_.peek().is("(")) out.arguments = arguments();
    lexer_.expect(":", "after a block's arguments");
  }
  while (!lexer_.accept("}")) {
    if (lexer_.peek().kind == Token::Kind::block) {
      lexer_.fail(lexer_.peek().offset, "a region of several blocks; only one block is read");
    }
    if (lexer_.peek().kind == Token::Kind::end) lexer_.fail(offset, "a region without its '}'");
    if (!out.operations.empty() && is_return(out.operations.back())) {
      lexer_.fail(lexer_.peek().offset, "an operation behind the region's return");
    }
    out.operations.push_back(operation());
  }
  return out;
}

std::vector<BlockArgument> OperationParser::arguments() {
  std::vector<BlockArgument> out;
  lexer_.expect("(", "before the arguments");
  if (lexer_.accept(")")) return out;
  do {
    const Token name = lexer_.expect(Token::Kind::value, "an argument, as in %arg0");
    lexer_.expect(":", "after an argument's name");
    BlockArgument argument{
        .name = name.text, .type = values_.type(), .attributes = {}, .offset = name.offset};
    if (lexer_.peek().is("{")) argument.attributes = values_.container("{", "}");
    if (lexer_.peek().is_word("loc")) values_.skip_location();
    out.push_back(std::move(argument));
  } while (lexer_.accept(","));
  lexer_.expect(")", "or ',' after an argument");
  return out;
}

std::vector<ResultName> OperationParser::results() {
  std::vector<ResultName> out;
  if (lexer_.peek().kind != Token::Kind::value) return out;
  do {
    const Token token = lexer_.expect(Token::Kind::value, "a result, as in %0");
    ResultName name{.name = token.text, .count = 1, .offset = token.offset};
    if (lexer_.accept(":")) {
      const Token count = lexer_.expect(Token::Kind::number, "the number of results");
      name.count = read_size(count.text);
      if (name.count > kMostResults) lexer_.fail(count.offset, "too many results");
    }
    out.push_back(name);
  } while (lexer_.accept(","));
  lexer_.expect("=", "after the results of an operation");
  return out;
}

Reference OperationParser::operand() {
  const Token token = lexer_.expect(Token::Kind::value, "an operand, as in %x");
  const std::size_t sign = token.text.find('#');
  if (sign == token.text.npos) return {.name = token.text, .index = 0, .offset = token.offset};
  const std::size_t index = read_size(token.text.substr(sign + 1));
  if (index >= kMostResults) lexer_.fail(token.offset, "no operation has such a result");
  return {.name = token.text.substr(0, sign), .index = index, .offset = token.offset};
}

Operation OperationParser::operation() {
  Operation out;
  out.offset = lexer_.peek().offset;
  out.line = lexer_.peek().line;
  out.attributes.kind = Attribute::Kind::container;
  out.results = results();
  const Token name = lexer_.peek();
  if (name.kind == Token::Kind::text) {
    lexer_.take();
    out.name = unquoted(name.text);
    out.offset = name.offset;
    generic(out);
  } else {
    out.offset = name.offset;
    out.name = lexer_.expect(Token::Kind::word, "an operation").text;
    if (out.name == "return" || out.name == "call") out.name.insert(0, "func.");
    pretty(out);
  }
  end(out);
  return out;
}

void OperationParser::generic(Operation& out) {
  lexer_.expect("(", "and the operands after the operation's name");
  if (!lexer_.accept(")")) {
    do out.operands.push_back(operand());
    while (lexer_.accept(","));
    lexer_.expect(")", "or ',' after an operand");
  }
  if (lexer_.accept("<")) {
    attributes(out);
    lexer_.expect(">", "after an operation's properties");
  }
  if (lexer_.accept("(")) {
    do out.regions.push_back(region());
    while (lexer_.accept(","));
    lexer_.expect(")", "or ',' after a region");
  }
  if (lexer_.peek().is("{")) attributes(out);
  types(out);
}

void OperationParser::pretty(Operation& out) {
  if (out.name == "stablehlo.reduce") return reduce(out);
  if (out.name == "stablehlo.while") return loop(out);
  if (out.name == "sdy.manual_computation") return manual_computation(out);
  items(out);
  types(out);
}

// Operands, words, values and `name = value`, with commas and parentheses around operands:
//   %0, %1, contracting_dims = [1] x [0]
//   @name(%0, %1) {attribute = 1 : i32}
//   GT, %0, %1, SIGNED
void OperationParser::items(Operation& out) {
  int open = 0;
  for (;;) {
    const Token token = lexer_.peek();
    if (token.kind == Token::Kind::value) {
      out.operands.push_back(operand());
      if (lexer_.peek().is("[")) slice(out);
    } else if (token.is("(")) {
      lexer_.take();
      ++open;
    } else if (token.is(")") && open > 0) {
      lexer_.take();
      --open;
    } else if (token.is_word("dense") || token.is_word("dense_resource")) {
      Attribute value = values_.value();
      TreeType type;
      type.kind = TreeType::Kind::tensor;
      type.dtype = value.array->dtype();
      type.shape = value.shape;
      out.result_types.push_back(std::move(type));
      out.attributes.add("value", std::move(value));
      break;  // its type is read
    } else if (token.is_word("loc")) {
      break;
    } else if (token.kind == Token::Kind::word && (lexer_.take(), lexer_.accept("="))) {
      named(out, token.text);
    } else if (token.kind == Token::Kind::word) {
      // Every operation's end is known by its types, but `return` has none without operands.
      Attribute word;
      word.kind = Attribute::Kind::word;
      word.text = token.text;
      word.offset = token.offset;
      out.attributes.add("", std::move(word));
    } else if (token.is("{")) {
      attributes(out);
    } else if (token.kind == Token::Kind::symbol || token.kind == Token::Kind::text ||
               token.is("<")) {
      out.attributes.add("", values_.value(false));
    } else {
      break;
    }
    if (lexer_.peek().is("}") || lexer_.peek().is(":")) break;
    lexer_.accept(",");
  }
  if (open != 0) lexer_.fail_expected("')'");
}

// After `name =`: a value, or several as in [1] x [0] and [b, 0, f]x[0, i, o]->[b, 0, f].
void OperationParser::named(Operation& out, std::string_view name) {
  Attribute first = values_.value(false);
  if (!lexer_.peek().is_word("x")) {
    out.attributes.add(name, std::move(first));
    return;
  }
  Attribute several;
  several.kind = Attribute::Kind::container;
  several.offset = first.offset;
  several.add("", std::move(first));
  while (lexer_.accept("x") || lexer_.accept("->")) several.add("", values_.value(false));
  out.attributes.add(name, std::move(several));
}

// [0:4, 0:8:2] of a slice, [1] of get_tuple_element: numbers in lists of one to three.
void OperationParser::slice(Operation& out) {
  lexer_.expect("[", "");
  Attribute ranges;
  ranges.kind = Attribute::Kind::container;
  ranges.offset = lexer_.peek().offset;
  while (!lexer_.accept("]")) {
    Attribute range;
    range.kind = Attribute::Kind::container;
    range.offset = lexer_.peek().offset;
    do range.add("", values_.value(false));
    while (lexer_.accept(":"));
    ranges.add("", std::move(range));
    if (!lexer_.peek().is("]")) lexer_.expect(",", "or ']' after a range");
  }
  out.attributes.add("ranges", std::move(ranges));
}

void OperationParser::attributes(Operation& out) {
  Attribute given = values_.container("{", "}");
  for (std::size_t i = 0; i < given.items.size(); ++i) {
    // A flag's name stands alone.
    std::string_view name = given.names[i];
    Attribute& item = given.items[i];
    if (name.empty() && item.kind == Attribute::Kind::word) {
      out.attributes.add("", std::move(item));
    } else {
      out.attributes.add(name, std::move(item));
    }
  }
}

// : (T, T) -> T, or the results' types alone.
void OperationParser::types(Operation& out) {
  if (!lexer_.accept(":")) return;
  if (lexer_.peek().is("(")) {
    out.operand_types = values_.types();
    lexer_.expect("->", "after the types of the operands");
    out.result_types = values_.types();
    return;
  }
  std::vector<TreeType> list;
  do list.push_back(values_.type());
  while (lexer_.accept(","));
  if (lexer_.accept("->")) {
    out.operand_types = std::move(list);
    out.result_types = values_.types();
    return;
  }
  // One type for all, or those of the operands; a select's second one is its result's.
  std::size_t named = 0;
  for (const ResultName& result : out.results) named += result.count;
  if (named == 0) return;
  if (named == list.size()) {
    out.result_types = std::move(list);
  } else if (named == 1) {
    out.result_types.push_back(std::move(list.back()));
  }
}

void OperationParser::end(Operation& out) {
  if (lexer_.peek().is_word("loc")) values_.skip_location();
  std::size_t named = 0;
  for (const ResultName& result : out.results) named += result.count;
  if (named == out.result_types.size()) return;
  lexer_.fail(out.offset, out.name + " has " + std::to_string(out.result_types.size()) +
                              " result types, but " + std::to_string(named) +
                              (named == 1 ? " result is named" : " results are named"));
}

}  // namespace tutti::ir::stablehlo
