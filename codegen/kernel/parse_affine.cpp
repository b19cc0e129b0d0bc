#include <tutti/codegen/kernel/parse_affine.h>
#include <tutti/codegen/kernel/text_words.h>
#include <tutti/ir/text/literal.h>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::codegen {

namespace {

using ir::Token;

class AffineParser {
 public:
  // `load`: what takes terms of values; null where there are none.
  AffineParser(ir::Lexer& lexer, const Kernel& kernel, bool in_loop, Instruction* load)
      : lexer_(lexer), kernel_(kernel), in_loop_(in_loop), load_(load) {}

  void run(Affine& out) {
    bool more = true;
    bool negative = false;
    while (more) {
      term(out, negative);
      negative = lexer_.accept("-");
      more = negative || lexer_.accept("+");
    }
  }

 private:
  // 3, 128*o0, i1, -20*o1, -i1, 64*clamp(%3, 999)
  void term(Affine& out, bool negative) {
    const auto fail_at_second_sign = [&] {
      if (negative) lexer_.fail(lexer_.peek().offset, "two signs in a row");
    };
    if (lexer_.peek().is("-")) {
      fail_at_second_sign();
      negative = true;
      lexer_.take();
    }
    Token token = lexer_.peek();
    std::string_view text = token.text;
    if (token.kind == Token::Kind::number && text.starts_with('-')) {
      fail_at_second_sign();
      negative = true;
      text.remove_prefix(1);
    } else if (token.kind != Token::Kind::number && token.kind != Token::Kind::word) {
      lexer_.fail_expected("an index, as in 3 + 128*o0");
    }
    lexer_.take();
    if (text.empty()) lexer_.fail(token.offset, "a sign without a number behind it");
    std::uint64_t magnitude = 1;
    if (text[0] >= '0' && text[0] <= '9') {
      magnitude = natural(token, text);
      if (!lexer_.accept("*")) {
        set(out.offset, token, magnitude, negative);
        return;
      }
      token = lexer_.expect(Token::Kind::word, "an axis, as in o0 or i0");
      text = token.text;
    }
    if (load_ != nullptr && text == "clamp") return value(token, magnitude, negative);
    set(axis(out, token, text), token, magnitude, negative);
  }

  void value(const Token& token, std::uint64_t magnitude, bool negative) const {
    const std::size_t number = load_->terms.size();
    if (number == load_->operands.size()) {
      lexer_.fail(token.offset, "an index has at most " + std::to_string(number) + " such terms");
    }
    Term& term = load_->terms.emplace_back();
    set(term.stride, token, magnitude, negative);
    lexer_.expect("(", "after 'clamp'");
    load_->operands[number] = read_value(lexer_, kernel_);
    lexer_.expect(",", "and the most that the value may be");
    term.most = ir::read_integer(lexer_, "the most that the value may be");
    lexer_.expect(")", "after it");
  }

  std::uint64_t natural(const Token& token, std::string_view text) const {
    std::uint64_t number = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
    if (result.ec == std::errc() && result.ptr == text.data() + text.size()) return number;
    lexer_.fail(token.offset, shown(text) + " is no number of elements");
  }

  void set(std::int64_t& target, const Token& token, std::uint64_t magnitude, bool negative) const {
    constexpr auto kLargest = std::uint64_t{1} << 63;
    if (target != 0) lexer_.fail(token.offset, "the index has this term twice");
    if (magnitude > kLargest || (magnitude == kLargest && !negative)) {
      lexer_.fail(token.offset, "this factor does not fit in i64");
    }
    target = static_cast<std::int64_t>(negative ? std::uint64_t{0} - magnitude : magnitude);
  }

  std::int64_t& axis(Affine& affine, const Token& token, std::string_view text) const {
    std::vector<std::int64_t>& of_kind = text.starts_with('i') ? affine.inner : affine.outer;
    const int number = number_in_name(text, text.starts_with('i') ? 'i' : 'o');
    if (number >= 0 && number < std::ssize(of_kind))
      return of_kind[static_cast<std::size_t>(number)];
    lexer_.fail(token.offset,
                shown(text) + " is no axis here" +
                    (in_loop_ || !text.starts_with('i') ? "" : "; only loops have inner axes"));
  }

  ir::Lexer& lexer_;
  const Kernel& kernel_;
  const bool in_loop_;
  Instruction* const load_;
};

Affine read_sum(ir::Lexer& lexer, const Kernel& kernel, bool in_loop, Instruction* load) {
  Affine out;
  out.outer.resize(kernel.outer.size());
  if (in_loop) out.inner.resize(kernel.inner.size());
  AffineParser(lexer, kernel, in_loop, load).run(out);
  return out;
}

}  // namespace

Affine read_affine(ir::Lexer& lexer, const Kernel& kernel, bool in_loop) {
  return read_sum(lexer, kernel, in_loop, nullptr);
}

void read_address(ir::Lexer& lexer, const Kernel& kernel, bool in_loop, Instruction& load) {
  load.address = read_sum(lexer, kernel, in_loop, &load);
}

ValueId read_value(ir::Lexer& lexer, const Kernel& kernel) {
  const Token token = lexer.expect(Token::Kind::value, "a value, as in %0");
  ValueId id = -1;
  const char* const end = token.text.data() + token.text.size();
  const auto result = std::from_chars(token.text.data(), end, id);
  if (result.ec == std::errc() && result.ptr == end && id < kernel.value_count) return id;
  lexer.fail(token.offset, "the kernel has " + std::to_string(kernel.value_count) +
                               " values, counted from %0; %" +
                               std::string(token.text.substr(0, 40)) + " is none of them");
}

}  // namespace tutti::codegen
