#include <tutti/ir/stablehlo/parse_value.h>

#include <charconv>
#include <optional>

namespace tutti::ir::stablehlo {

namespace {

constexpr int kDeepestValue = 64;
constexpr std::size_t kMostAliasNodes = std::size_t{1} << 20;

struct DTypeName {
  std::string_view mlir;
  DType dtype;
};
constexpr DTypeName kDTypes[] = {
    {"i1", DType::boolean},
    {"i8", DType::i8},
    {"i16", DType::i16},
    {"i32", DType::i32},
    {"i64", DType::i64},
    {"si8", DType::i8},
    {"si16", DType::i16},
    {"si32", DType::i32},
    {"si64", DType::i64},
    {"ui8", DType::u8},
    {"ui16", DType::u16},
    {"ui32", DType::u32},
    {"ui64", DType::u64},
    {"f16", DType::f16},
    {"bf16", DType::bf16},
    {"f32", DType::f32},
    {"f64", DType::f64},
    {"index", DType::i64},
    {"f8E4M3FN", DType::f8_e4m3fn},
    {"f8E5M2", DType::f8_e5m2},
};

bool all_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

}  // namespace

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<DType> dtype_from_mlir(std::string_view name) {
  for (const DTypeName& known : kDTypes) {
    if (known.mlir == name) return known.dtype;
  }
  return std::nullopt;
}

std::string unquoted(std::string_view quoted) {
  const std::string_view text = quoted.substr(1, quoted.size() - 2);
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const char c = text[++i];
    const int high = hex_digit(c);
    const int low = i + 1 < text.size() ? hex_digit(text[i + 1]) : -1;
    if (c == 'n') {
      out += '\n';
    } else if (c == 't') {
      out += '\t';
    } else if (high >= 0 && low >= 0) {
      out += static_cast<char>(high * 16 + low);
      ++i;
    } else {
      out += c;
    }
  }
  return out;
}

ValueParser::Level::Level(ValueParser& parser) : parser_(parser) {
  // Before it counts: a constructor that throws has no destructor.
  if (parser.depth_ == kDeepestValue) {
    parser.lexer_.fail(parser.lexer_.peek().offset,
                       "more than " + std::to_string(kDeepestValue) + " levels of nesting");
  }
  ++parser.depth_;
}

std::vector<TreeType> ValueParser::types() {
  std::vector<TreeType> out;
  if (!lexer_.accept("(")) {
    out.push_back(type());
    return out;
  }
  if (lexer_.accept(")")) return out;
  do {
    out.push_back(type());
    if (lexer_.peek().is("{")) container("{", "}");  // a result's attributes
  } while (lexer_.accept(","));
  lexer_.expect(")", "or ',' after a type");
  return out;
}

TreeType ValueParser::type() {
  const Level level(*this);
  const std::size_t offset = lexer_.peek().offset;
  TreeType out;
  out.offset = offset;
  if (lexer_.accept("tensor")) return tensor(offset);
  if (lexer_.accept("tuple")) {
    out.kind = TreeType::Kind::tuple;
    lexer_.expect("<", "after 'tuple'");
    if (lexer_.accept(">")) return out;
    do out.parts.push_back(type());
    while (lexer_.accept(","));
    lexer_.expect(">", "or ',' after a type");
    return out;
  }
  if (lexer_.peek().is("(")) {  // a function's type
    types();
    lexer_.expect("->", "after the types of the operands");
    types();
    return out;
  }
  const Token token = lexer_.take();
  if (token.kind == Token::Kind::type) {
    if (token.text.ends_with(".token")) out.kind = TreeType::Kind::token;
  } else if (token.kind != Token::Kind::word) {
    lexer_.fail(offset, "expected a type, as in tensor<4x8xf32>");
  }
  if (lexer_.peek().is("<")) skip_in_brackets();
  return out;
}

// After `tensor`: <4x8xf32>, <f32>.
TreeType ValueParser::tensor(std::size_t offset) {
  TreeType out;
  out.kind = TreeType::Kind::tensor;
  out.offset = offset;
  lexer_.expect("<", "after 'tensor'");
  if (lexer_.peek().is("?") || lexer_.peek().is("*")) {
    lexer_.fail(lexer_.peek().offset,
                "a size that is known only when the program runs; export it with fixed shapes");
  }
  const Token token = lexer_.take();
  std::vector<std::int64_t> sizes;
  std::string_view rest = token.text;
  for (std::size_t x = rest.find('x'); token.kind == Token::Kind::number && x != rest.npos;
       x = rest.find('x')) {
    const std::string_view digits = rest.substr(0, x);
    if (!all_digits(digits)) break;
    std::int64_t size = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), size);
    if (read.ec != std::errc()) lexer_.fail(token.offset, "a size beyond 64 bits");
    sizes.push_back(size);
    rest.remove_prefix(x + 1);
  }
  if (rest.empty() && lexer_.peek().is("?")) {
    lexer_.fail(lexer_.peek().offset,
                "a size that is known only when the program runs; export it with fixed shapes");
  }
  const std::optional<DType> dtype = dtype_from_mlir(rest);
  if (rest == "complex") lexer_.fail(token.offset, "complex numbers are not supported");
  if (!dtype) {
    lexer_.fail(token.offset, "no dtype that Tutti has: '" + std::string(rest.substr(0, 40)) +
                                  "'; it has i1, i8 to i64, ui8 to ui64, f8E4M3FN, "
                                  "f8E5M2, f16, bf16, f32 and f64");
  }
  out.dtype = *dtype;
  try {
    out.shape = Shape(sizes);
  } catch (const TypeError& error) {
    lexer_.fail(token.offset, error.what());
  }
  if (lexer_.accept(",")) value(false);  // an encoding
  lexer_.expect(">", "after the type of a tensor's elements");
  return out;
}

void ValueParser::skip_in_brackets() {
  std::size_t open = 0;
  const std::size_t offset = lexer_.peek().offset;
  do {
    const Token token = lexer_.take();
    if (token.kind == Token::Kind::end) lexer_.fail(offset, "a '<' without its '>'");
    if (token.is("<")) ++open;
    if (token.is(">")) --open;
  } while (open > 0);
}

void ValueParser::skip_location() {
  const Token word = lexer_.take();
  if (!lexer_.peek().is("(")) lexer_.fail_expected("'(' after 'loc'");
  std::size_t open = 0;
  do {
    const Token token = lexer_.take();
    if (token.kind == Token::Kind::end) lexer_.fail(word.offset, "a 'loc(' without its ')'");
    if (token.is("(")) ++open;
    if (token.is(")")) --open;
  } while (open > 0);
}

void ValueParser::count_nodes(const Attribute& attribute) {
  constexpr std::size_t kBytesOfText = 64;  // that take as much as another node
  nodes_ += 1 + attribute.text.size() / kBytesOfText;
  if (nodes_ > kMostAliasNodes) {
    lexer_.fail(attribute.offset, "the aliases stand for too much text");
  }
  for (const Attribute& item : attribute.items) count_nodes(item);
}

void ValueParser::define_alias(std::string_view name) {
  lexer_.expect("=", "after the name of an alias");
  if (lexer_.peek().is_word("loc")) {
    skip_location();
    return;
  }
  aliases_[name] = value();
}

Attribute ValueParser::reference() {
  const Token token = lexer_.take();
  if (lexer_.peek().is("<")) {
    if (!token.text.ends_with("op_sharding_rule")) return container("<", ">");
    skip_in_brackets();  // ([i, j])->([k, l]) {i=4, ...}: how to split an operation
    return {};
  }
  if (const auto known = aliases_.find(token.text); known != aliases_.end()) {
    count_nodes(known->second);
    return known->second;
  }
  Attribute out;
  out.kind = Attribute::Kind::word;
  out.text = token.text;
  return out;
}

Attribute ValueParser::number(bool typed) {
  const Token token = lexer_.take();
  Attribute out;
  const bool hexadecimal = token.text.starts_with("0x");
  const char* const begin = token.text.data() + (hexadecimal ? 2 : 0);
  const char* const end = token.text.data() + token.text.size();
  std::uint64_t natural = 0;
  const auto integer = std::from_chars(begin, end, out.integer);
  const auto unsigned_integer = std::from_chars(begin, end, natural, hexadecimal ? 16 : 10);
  if (!hexadecimal && integer.ec == std::errc() && integer.ptr == end) {
    out.kind = Attribute::Kind::integer;
    out.number = static_cast<double>(out.integer);
  } else if (unsigned_integer.ec == std::errc() && unsigned_integer.ptr == end) {
    out.kind = Attribute::Kind::integer;
    out.integer = static_cast<std::int64_t>(natural);
    out.number = static_cast<double>(natural);
  } else {
    out.kind = Attribute::Kind::number;
    const auto real = std::from_chars(begin, end, out.number);
    if (real.ec != std::errc() || real.ptr != end) lexer_.fail(token.offset, "not a number");
  }
  if (typed && lexer_.accept(":")) type();
  return out;
}

// After `array`: <i64: 1, 2, 3>, <i1: true>.
Attribute ValueParser::array_of_integers(std::size_t offset) {
  Attribute out;
  out.kind = Attribute::Kind::container;
  out.offset = offset;
  lexer_.expect("<", "after 'array'");
  lexer_.expect(Token::Kind::word, "the type of an array's elements");
  if (lexer_.accept(":")) {
    do out.add("", value(false));
    while (lexer_.accept(","));
  }
  lexer_.expect(">", "or ',' after an element");
  return out;
}

Attribute ValueParser::value(bool typed) {
  const Level level(*this);
  const Token token = lexer_.peek();
  Attribute out;
  switch (token.kind) {
    case Token::Kind::number:
      out = number(typed);
      break;
    case Token::Kind::text:
      lexer_.take();
      out.kind = Attribute::Kind::text;
      out.text = unquoted(token.text);
      if (typed && lexer_.accept(":")) type();
      break;
    case Token::Kind::symbol:
      lexer_.take();
      out.kind = Attribute::Kind::symbol;
      out.text = token.text.starts_with('"') ? unquoted(token.text) : std::string(token.text);
      while (lexer_.peek().is(":")) {  // @module::@name
        lexer_.expect(":", "");
        lexer_.expect(":", "between two symbols");
        out.text = lexer_.expect(Token::Kind::symbol, "a symbol after '::'").text;
      }
      break;
    case Token::Kind::attribute:
      out = reference();
      break;
    case Token::Kind::type:
      type();
      break;
    case Token::Kind::word:
      if (token.text == "tensor" || token.text == "tuple") {
        type();
        break;
      }
      lexer_.take();
      if (token.text == "dense" || token.text == "dense_resource") return dense(token.offset);
      if (token.text == "array" && lexer_.peek().is("<")) return array_of_integers(token.offset);
      out.kind = Attribute::Kind::word;
      out.text = token.text;
      if (lexer_.peek().is("<")) skip_in_brackets();  // affine_map<...>
      break;
    default:
      if (token.is("[")) return container("[", "]");
      if (token.is("{")) return container("{", "}");
      if (token.is("<")) return container("<", ">");
      if (token.is("?")) {
        lexer_.take();
        out.kind = Attribute::Kind::word;
        out.text = "?";
        break;
      }
      if (token.is("(")) {
        type();
        break;
      }
      lexer_.fail_expected("an attribute's value");
  }
  out.offset = token.offset;
  return out;
}

Attribute ValueParser::container(std::string_view open, std::string_view close) {
  const Level level(*this);
  Attribute out;
  out.kind = Attribute::Kind::container;
  out.offset = lexer_.peek().offset;
  lexer_.expect(open, "");
  while (!lexer_.accept(close)) {
    if (lexer_.peek().kind == Token::Kind::end) {
      lexer_.fail(out.offset,
                  "a '" + std::string(open) + "' without its '" + std::string(close) + "'");
    }
    item(out);
    // Between lists, as in #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>.
    const bool another = open == "<" && (lexer_.accept("x") || lexer_.accept("->"));
    if (!another) lexer_.accept(",");
  }
  return out;
}

// name = value, or a value: of a dictionary a name alone, which is a flag that is set.
void ValueParser::item(Attribute& out) {
  const Token token = lexer_.peek();
  if (token.kind != Token::Kind::word && token.kind != Token::Kind::text) {
    out.add("", value());
    return;
  }
  Attribute single = value();
  if (!lexer_.accept("=")) {
    out.add("", std::move(single));
    return;
  }
  std::string_view name = token.text;
  if (token.kind == Token::Kind::text) name = name.substr(1, name.size() - 2);
  out.add(name, value());
}

}  // namespace tutti::ir::stablehlo
