#include <tutti/ir/scalar.h>
#include <tutti/ir/stablehlo/parse_value.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>

// The elements of constants: dense<...>.
namespace tutti::ir::stablehlo {

namespace {

std::int64_t width_in_bits(DType dtype) { return dtype == DType::boolean ? 1 : 8 * size_of(dtype); }

// Through f64, as MLIR reads them. What is too large is infinite, and what is too small 0.
std::optional<double> floating_number(std::string_view text) {
  const auto read = [&](auto& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return end == text.data() + text.size() ? error : std::errc::invalid_argument;
  };
  double value = 0;
  const std::errc error = read(value);
  if (error == std::errc()) return value;
  if (error != std::errc::result_out_of_range) return std::nullopt;
  long double wide = 0;
  if (read(wide) == std::errc()) return static_cast<double>(wide);
  const bool is_small = text.find("e-") != text.npos || text.find("E-") != text.npos;
  return std::copysign(is_small ? 0 : std::numeric_limits<double>::infinity(),
                       text.starts_with('-') ? -1 : 1);
}

// Of two floats that the number lies between, the one whose last bit is odd: a narrower float that
// it is rounded to next is the one nearest to the number itself.
float rounded_to_odd(double number) {
  const auto nearest = static_cast<float>(number);
  if (!std::isfinite(nearest) || static_cast<double>(nearest) == number) return nearest;
  auto bits = std::bit_cast<std::uint32_t>(nearest);
  if (std::abs(static_cast<double>(nearest)) > std::abs(number)) --bits;
  return std::bit_cast<float>(bits | 1U);
}

// Puts one number at `out`; false if the text is no number of the dtype.
bool store_number(std::string_view text, DType dtype, std::byte* out) {
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  if (dtype == DType::boolean) {
    const bool truth = text == "true" || text == "1" || text == "-1";
    if (!truth && text != "false" && text != "0") return false;
    store_cell(dtype, {.truth = truth}, out);
    return true;
  }
  if (text.starts_with("0x")) {  // the bits
    std::uint64_t bits = 0;
    const auto read = std::from_chars(begin + 2, end, bits, 16);
    if (read.ec != std::errc() || read.ptr != end) return false;
    if (width_in_bits(dtype) < 64 && bits >> width_in_bits(dtype) != 0) return false;
    std::memcpy(out, &bits, static_cast<std::size_t>(size_of(dtype)));
    return true;
  }
  return visit_dtype(dtype, [&]<class T>(std::type_identity<T>) {
    const auto parsed = [&]<class Number>(Number& value) {
      const auto read = std::from_chars(begin, end, value);
      return read.ec == std::errc() && read.ptr == end;
    };
    T value{};
    if constexpr (std::is_floating_point_v<T> || is_narrow_float<T>) {
      const std::optional<double> wide = floating_number(text);
      if (!wide) return false;
      if constexpr (is_narrow_float<T>) {
        value = T(rounded_to_odd(*wide));
      } else {
        value = static_cast<T>(*wide);
      }
    } else if constexpr (!std::is_same_v<T, bool>) {
      if (!parsed(value)) return false;
    }
    std::memcpy(out, &value, sizeof(T));
    return true;
  });
}

// "0x00FF...": the bytes of the elements, or of one that all are equal to. Bits of bool may be
// packed eight a byte.
std::optional<Array> array_from_hex(std::string_view text, DType dtype, const Shape& shape) {
  if (!text.starts_with("0x") || text.size() % 2 != 0) return std::nullopt;
  text.remove_prefix(2);
  std::vector<std::byte> bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    const int high = hex_digit(text[i]);
    const int low = hex_digit(text[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes.push_back(static_cast<std::byte>(high * 16 + low));
  }
  const auto count = static_cast<std::int64_t>(bytes.size());
  const bool packed = dtype == DType::boolean && count == (shape.elements() + 7) / 8;
  // Of bits, one byte for all is all ones or all zeros.
  const bool is_all = bytes.empty() || dtype != DType::boolean || !packed ||
                      shape.elements() == 1 || bytes[0] == std::byte{0} ||
                      bytes[0] == std::byte{0xFF};
  if (count == size_of(dtype) && is_all) {
    Array out(dtype, {});
    std::memcpy(out.bytes().data(), bytes.data(), bytes.size());
    if (dtype == DType::boolean)
      store_cell(dtype, {.truth = bytes[0] != std::byte{0}}, out.bytes().data());
    return out;
  }
  if (!packed && count != shape.elements() * size_of(dtype)) return std::nullopt;
  Array out(dtype, shape);
  if (dtype != DType::boolean) {
    std::memcpy(out.bytes().data(), bytes.data(), bytes.size());
    return out;
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(shape.elements()); ++i) {
    const bool truth = packed ? (std::to_integer<int>(bytes[i / 8]) >> (i % 8) & 1) != 0
                              : bytes[i] != std::byte{0};
    out.data<bool>()[i] = truth;
  }
  return out;
}

// The shape that lists of lists of elements have.
class ListedShape {
 public:
  void open() {
    add();
    counts_.push_back(0);
    if (sizes_.size() < counts_.size()) sizes_.push_back(-1);
  }
  void close() {
    std::int64_t& size = sizes_[counts_.size() - 1];
    if (size < 0) size = counts_.back();
    regular_ = regular_ && size == counts_.back();
    counts_.pop_back();
  }
  void element() {
    add();
    if (!depth_) depth_ = counts_.size();
    regular_ = regular_ && *depth_ == counts_.size();
  }
  std::size_t depth() const { return counts_.size(); }
  bool has_lists() const { return !sizes_.empty(); }
  bool is(const Shape& shape) const {
    return regular_ && std::equal(sizes_.begin(), sizes_.end(), shape.begin(), shape.end());
  }

 private:
  void add() {
    if (!counts_.empty()) ++counts_.back();
  }

  std::vector<std::int64_t> counts_;  // of what the lists around have so far
  std::vector<std::int64_t> sizes_;   // of lists, by depth; -1: none has its end yet
  std::optional<std::size_t> depth_;  // of elements
  bool regular_ = true;
};

}  // namespace

Attribute ValueParser::dense(std::size_t offset) {
  lexer_.expect("<", "before the elements");
  std::vector<Token> elements;
  ListedShape listed;
  while (listed.depth() > 0 || !lexer_.peek().is(">")) {
    const Token token = lexer_.take();
    if (token.is("[")) {
      listed.open();
    } else if (token.is("]")) {
      if (listed.depth() == 0) lexer_.fail(token.offset, "a ']' without its '['");
      listed.close();
    } else if (token.kind == Token::Kind::number || token.kind == Token::Kind::text ||
               token.is_word("true") || token.is_word("false")) {
      elements.push_back(token);
      listed.element();
    } else if (token.kind == Token::Kind::end) {
      lexer_.fail(offset, "a constant without its end");
    } else if (token.kind == Token::Kind::word && token.text.starts_with("__")) {
      lexer_.fail(token.offset,
                  "the constant's elements are left out of the text; print it with "
                  "as_text(print_large_elements=True) or pass the array as an argument");
    } else if (!token.is(",")) {
      lexer_.fail(token.offset, "expected an element of a constant");
    }
  }
  lexer_.expect(">", "after the elements");
  lexer_.expect(":", "and the constant's type after the elements");
  const TreeType type = this->type();
  if (type.kind != TreeType::Kind::tensor) {
    lexer_.fail(type.offset, "a constant's type is a tensor");
  }

  Attribute out;
  out.kind = Attribute::Kind::array;
  out.offset = offset;
  out.shape = type.shape;
  const auto count = static_cast<std::int64_t>(elements.size());
  if (count == 1 && elements[0].kind == Token::Kind::text) {
    std::optional<Array> array = array_from_hex(unquoted(elements[0].text), type.dtype, type.shape);
    if (!array) {
      lexer_.fail(elements[0].offset, "no bytes of " + type.type().text() + " in hexadecimal");
    }
    out.array = share(std::move(*array));
    return out;
  }
  const bool splat = count == 1 && !listed.has_lists();
  if (!splat && count != type.shape.elements()) {
    lexer_.fail(offset, std::to_string(count) + " elements for " + type.type().text());
  }
  if (!splat && count > 0 && !listed.is(type.shape)) {
    lexer_.fail(offset, "the elements are not in lists as " + type.type().text() + " has them");
  }
  Array array(type.dtype, splat ? Shape() : type.shape);
  std::byte* at = array.bytes().data();
  for (const Token& element : elements) {
    if (!store_number(element.text, type.dtype, at)) {
      lexer_.fail(element.offset, "no number of dtype " + std::string(name_of(type.dtype)));
    }
    at += size_of(type.dtype);
  }
  out.array = share(std::move(array));
  return out;
}

}  // namespace tutti::ir::stablehlo
