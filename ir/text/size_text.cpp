#include <tutti/ir/names.h>
#include <tutti/ir/text/literal.h>
#include <tutti/ir/text/size_text.h>

#include <algorithm>

namespace tutti::ir {

namespace {

// Whatever the text holds, reading it takes little of the stack.
constexpr int kMostParentheses = 32;

bool begins_with_sign(const Token& token) {
  return token.kind == Token::Kind::number && token.text.starts_with('-');
}

}  // namespace

std::string SizeWriter::shape(Value value) {
  if (!size_varies(*graph_, value)) return {};
  std::string out = "[";
  for (int d = 0; d < graph_->type(value).shape.rank(); ++d) {
    if (d != 0) out += ',';
    out += text(size_expression(*graph_, value, d));
  }
  return out + "]";
}

bool SizeWriter::varies(NodeId node, std::size_t attribute) const {
  if (graph_->sizes == nullptr) return false;
  const auto found = graph_->sizes->attributes.lower_bound({node, attribute, 0});
  return found != graph_->sizes->attributes.end() && std::get<0>(found->first) == node &&
         std::get<1>(found->first) == attribute;
}

std::string SizeWriter::integer(NodeId node, std::size_t attribute, std::size_t place) {
  return text(attribute_expression(*graph_, node, attribute, place));
}

std::string SizeWriter::text(const SizeExpression& expression) {
  return expression.text([&](std::size_t number) {
    const SizeSymbol& symbol = graph_->sizes->symbols[number];
    if (!declare_ || (mentioned_ >> number & 1) != 0) return symbol.name;
    mentioned_ |= 1U << number;
    std::string out = symbol.least == 1 ? "" : std::to_string(symbol.least) + "<=";
    out += symbol.name + "<=" + std::to_string(symbol.most);
    return expression.is_symbol() ? out : "(" + out + ")";
  });
}

SizeExpression SizeReader::read(Lexer& lexer, std::string_view what) {
  const std::size_t offset = lexer.peek().offset;
  try {
    const SizeExpression out = sum(lexer, what, 0);
    out.at(largest());
    return out;
  } catch (const TypeError& error) {
    lexer.fail(offset, error.what());
  }
}

std::vector<std::int64_t> SizeReader::largest() const {
  std::vector<std::int64_t> out;
  for (const SizeSymbol& symbol : symbols_) out.push_back(symbol.most);
  return out;
}

SizeExpression SizeReader::sum(Lexer& lexer, std::string_view what, int depth) {
  const std::size_t known = symbols_.size();
  const std::size_t offset = lexer.peek().offset;
  SizeExpression out = terms(lexer, what, depth);
  // 2*n<=5 could be a bound of n or of 2*n.
  const bool with_bounds = depth == bounds_at_ && symbols_.size() > known;
  if (with_bounds && !out.is_symbol()) {
    lexer.fail(offset, "bounds inside a larger size stand in parentheses, as in 2*(" +
                           symbols_.back().name + "<=64)+1");
  }
  return out;
}

SizeExpression SizeReader::terms(Lexer& lexer, std::string_view what, int depth) {
  SizeExpression out;
  if (lexer.accept("-")) {
    out = out - product(lexer, what, depth);
  } else {
    out = product(lexer, what, depth);
  }
  while (true) {
    if (lexer.accept("+")) {
      out = out + product(lexer, what, depth);
    } else if (lexer.accept("-")) {
      out = out - product(lexer, what, depth);
    } else if (begins_with_sign(lexer.peek())) {
      out = out + product(lexer, what, depth);  // n-1 is n and -1
    } else {
      return out;
    }
  }
}

SizeExpression SizeReader::product(Lexer& lexer, std::string_view what, int depth) {
  SizeExpression out = factor(lexer, what, depth);
  while (lexer.accept("*")) out = out * factor(lexer, what, depth);
  return out;
}

SizeExpression SizeReader::factor(Lexer& lexer, std::string_view what, int depth) {
  if (lexer.peek().is("(")) {
    if (depth == kMostParentheses) {
      lexer.fail(lexer.peek().offset,
                 "parentheses are nested more than " + std::to_string(kMostParentheses) + " deep");
    }
    lexer.take();
    const SizeExpression out = sum(lexer, what, depth + 1);
    lexer.expect(")", "after a size in parentheses");
    return out;
  }
  if (lexer.peek().kind == Token::Kind::word) {
    return symbol(lexer, lexer.take(), nullptr, 0, depth);
  }
  const std::size_t offset = lexer.peek().offset;
  const std::int64_t number = read_integer(lexer, what);
  if (!lexer.accept("<=")) return number;
  return symbol(lexer, lexer.expect(Token::Kind::word, "the name of a size between its bounds"),
                &number, offset, depth);
}

SizeExpression SizeReader::symbol(Lexer& lexer, const Token& name, const std::int64_t* least,
                                  std::size_t least_at, int depth) {
  if (is_number_word(name.text)) {
    lexer.fail(name.offset, std::string(name.text) + " is a number; call the size otherwise");
  }
  const auto found = std::ranges::find(symbols_, name.text, &SizeSymbol::name);
  const std::string shown(name.text.substr(0, 40));
  const bool has_most = lexer.peek().is("<=");
  if (found != symbols_.end()) {
    if (least != nullptr || has_most) {
      lexer.fail(name.offset, shown + " has its bounds above; only its first mention has them");
    }
    return SizeExpression::symbol(static_cast<std::size_t>(found - symbols_.begin()));
  }
  if (!has_most) {
    if (least != nullptr) lexer.fail_expected("'<=' and the largest size");
    std::vector<std::string_view> names;
    for (const SizeSymbol& symbol : symbols_) names.push_back(symbol.name);
    lexer.fail(name.offset, "unknown size " + shown + "; its first mention has its bound, as in " +
                                shown + "<=64" + suggestion(name.text, names));
  }
  lexer.take();
  const std::size_t most_at = lexer.peek().offset;
  const std::int64_t most = read_integer(lexer, "the largest size");
  if (symbols_.size() == kMostSymbols) {
    lexer.fail(name.offset,
               "a function has at most " + std::to_string(kMostSymbols) + " sizes that vary");
  }
  const std::int64_t from = least == nullptr ? 1 : *least;
  if (from < 0) lexer.fail(least_at, "a size is not negative");
  if (most <= from) {
    lexer.fail(most_at, "the largest size is above the smallest one, " + std::to_string(from));
  }
  if (most > Shape::kMostElements) lexer.fail(most_at, "no tensor is so large");
  bounds_at_ = depth;
  symbols_.push_back({.name = std::string(name.text), .least = from, .most = most});
  return SizeExpression::symbol(symbols_.size() - 1);
}

std::vector<SizeExpression> read_sizes(Lexer& lexer, SizeReader& reader, std::string_view before,
                                       std::string_view what, std::size_t most) {
  std::vector<SizeExpression> out;
  lexer.expect("[", before);
  if (lexer.accept("]")) return out;
  do out.push_back(reader.read(lexer, what));
  while (out.size() < most && lexer.accept(","));
  if (out.size() < most) lexer.expect("]", "or ',' after " + std::string(what) + " of a list");
  return out;
}

}  // namespace tutti::ir
