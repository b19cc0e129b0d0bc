#include <tutti/codegen/kernel/parse_cell.h>
#include <tutti/codegen/kernel/text_words.h>
#include <tutti/ir/text/literal.h>

#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

namespace tutti::codegen {

namespace {

using ir::Token;

template <class T>
T read_whole_token(ir::Lexer& lexer, std::string_view what, int base = 10) {
  const Token token = lexer.expect(Token::Kind::number, what);
  std::string_view text = token.text;
  if (base == 16 && text.starts_with("0x")) text.remove_prefix(2);
  T out{};
  const auto result = [&] {
    if constexpr (std::is_integral_v<T>) {
      return std::from_chars(text.data(), text.data() + text.size(), out, base);
    } else {
      return std::from_chars(text.data(), text.data() + text.size(), out);
    }
  }();
  if (result.ec == std::errc() && result.ptr == text.data() + text.size()) return out;
  lexer.fail(token.offset, "expected " + std::string(what) + ", not " + shown(token.text));
}

// 2.5, -inf, nan:0x7fc00000
template <class T, class Bits>
T read_float(ir::Lexer& lexer) {
  if (lexer.accept("inf")) return std::numeric_limits<T>::infinity();
  if (!lexer.accept("nan")) return read_whole_token<T>(lexer, "a number");
  lexer.expect(":", "and the bits after 'nan'");
  const std::size_t offset = lexer.peek().offset;
  const T out =
      std::bit_cast<T>(read_whole_token<Bits>(lexer, "the NaN's bits, as in 0x7fc00000", 16));
  if (out == out) lexer.fail(offset, "these bits are no NaN");
  return out;
}

}  // namespace

ir::Cell read_cell(ir::Lexer& lexer, DType dtype) {
  ir::Cell out;
  if (dtype == DType::boolean) {
    out.truth = ir::read_flag(lexer);
  } else if (dtype == DType::f64) {
    out.number = read_float<double, std::uint64_t>(lexer);
  } else if (is_floating(dtype)) {
    out.single = read_float<float, std::uint32_t>(lexer);
  } else if (is_unsigned(dtype)) {
    out.natural = read_whole_token<std::uint64_t>(lexer, "an integer of 0 or more");
  } else {
    out.integer = read_whole_token<std::int64_t>(lexer, "an integer");
  }
  return out;
}

}  // namespace tutti::codegen
