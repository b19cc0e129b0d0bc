#include <tutti/ir/names.h>
#include <tutti/ir/text/literal.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

namespace tutti::ir {

namespace {

// The unsigned integer as wide as a floating-point type, and the usual NaN's bits.
template <class T>
struct Bits;
template <>
struct Bits<double> {
  using Type = std::uint64_t;
  static constexpr Type kNan = 0x7FF8000000000000U;
};
template <>
struct Bits<float> {
  using Type = std::uint32_t;
  static constexpr Type kNan = 0x7FC00000U;
};
template <class Word, NarrowLayout kLayout>
struct Bits<NarrowFloat<Word, kLayout>> {
  using Type = Word;
  static constexpr Type kNan = kLayout.nan();
};
template <>
struct Bits<BFloat16> {
  using Type = std::uint16_t;
  static constexpr Type kNan = 0x7FC0U;
};
template <class T>
constexpr typename Bits<T>::Type kSign = typename Bits<T>::Type{1} << (sizeof(T) * 8 - 1);

// The type in which a narrow float's digits are written: every value of it is exact there.
template <class T>
using Digits = std::conditional_t<std::is_same_v<T, double>, double, float>;

template <class T>
bool is_nan(T value) {
  return std::isnan(static_cast<Digits<T>>(value));
}

template <class T>
void append_characters(std::string& out, T value, int base = 10) {
  char buffer[64];
  const auto end = [&] {
    if constexpr (std::is_integral_v<T>)
      return std::to_chars(buffer, buffer + 64, value, base).ptr;
    else
      return std::to_chars(buffer, buffer + 64, value).ptr;
  }();
  out.append(buffer, end);
}

// The shortest text that is read back as this narrow float: 0.1 rather than 0.099975586, but 65504
// rather than 6.55e+04.
template <class T>
void append_narrow(std::string& out, T value) {
  const auto wide = static_cast<float>(value);
  std::string shortest;
  append_characters(shortest, wide);
  for (int digits = 1; digits < static_cast<int>(shortest.size()); ++digits) {
    char buffer[64];
    char* const end =
        std::to_chars(buffer, buffer + 64, wide, std::chars_format::general, digits).ptr;
    float read = 0;
    std::from_chars(buffer, end, read);
    if (T(read).bits != value.bits) continue;
    if (end - buffer < std::ssize(shortest)) shortest.assign(buffer, end);
    break;
  }
  out += shortest;
}

template <class T>
void append_element(std::string& out, T value) {
  if constexpr (std::is_same_v<T, bool>) {
    out += value ? "true" : "false";
  } else if constexpr (std::is_integral_v<T>) {
    append_characters(out, value);
  } else if (is_nan(value)) {
    const auto bits = std::bit_cast<typename Bits<T>::Type>(value);
    if ((bits & ~kSign<T>) == Bits<T>::kNan) {
      out += (bits & kSign<T>) != 0 ? "-nan" : "nan";
    } else {
      out += "nan(0x";
      append_characters(out, bits, 16);
      out += ')';
    }
  } else {
    if constexpr (is_narrow_float<T>)
      append_narrow(out, value);
    else
      append_characters(out, value);
  }
}

// Reads all of `text` as a T, or fails with why not.
template <class T>
T from_characters(const Lexer& lexer, const Token& token, std::string_view text,
                  std::string_view type, int base = 10) {
  T value{};
  const char* const last = text.data() + text.size();
  std::from_chars_result result{};
  if constexpr (std::is_integral_v<T>)
    result = std::from_chars(text.data(), last, value, base);
  else
    result = std::from_chars(text.data(), last, value);
  const std::string shown(token.text.substr(0, 40));
  if (result.ec == std::errc::result_out_of_range) {
    lexer.fail(token.offset, shown + " does not fit in " + std::string(type));
  }
  if (result.ec != std::errc() || result.ptr != last) {
    lexer.fail(token.offset, "'" + shown + "' is no " +
                                 (std::is_integral_v<T> ? "integer" : "number") + " of type " +
                                 std::string(type));
  }
  return value;
}

// The rest of nan(0x7fc00001).
template <class T>
T read_nan_bits(Lexer& lexer, std::string_view type) {
  const Token token = lexer.expect(Token::Kind::number, "the NaN's bits, as in 0x7fc00001");
  if (!token.text.starts_with("0x")) lexer.fail(token.offset, "expected the NaN's bits after '0x'");
  using Word = typename Bits<T>::Type;
  const T value =
      std::bit_cast<T>(from_characters<Word>(lexer, token, token.text.substr(2), type, 16));
  if (!is_nan(value))
    lexer.fail(token.offset, "these bits are no NaN of type " + std::string(type));
  lexer.expect(")", "after the NaN's bits");
  return value;
}

template <class T>
T read_floating(Lexer& lexer, std::string_view type) {
  using Wide = Digits<T>;
  const Token token = lexer.peek();
  if (token.kind != Token::Kind::number && !token.is_word("inf") && !token.is_word("nan")) {
    lexer.fail_expected("a number of type " + std::string(type));
  }
  lexer.take();
  if (token.text == "inf" || token.text == "-inf") {
    const T infinity(std::numeric_limits<Wide>::infinity());
    if (is_nan(infinity)) lexer.fail(token.offset, std::string(type) + " has no infinity");
    return token.text == "inf" ? infinity : T(-std::numeric_limits<Wide>::infinity());
  }
  if (token.text == "nan" && lexer.accept("(")) return read_nan_bits<T>(lexer, type);
  if (token.text == "nan") return std::bit_cast<T>(Bits<T>::kNan);
  if (token.text == "-nan") {
    return std::bit_cast<T>(static_cast<typename Bits<T>::Type>(Bits<T>::kNan | kSign<T>));
  }
  // from_chars would take "infinity" as well.
  if (token.text.find_first_not_of("0123456789.eE+-") != std::string_view::npos) {
    lexer.fail(token.offset, "'" + std::string(token.text.substr(0, 40)) +
                                 "' is no number of type " + std::string(type));
  }
  const Wide wide = from_characters<Wide>(lexer, token, token.text, type);
  const T value = T(wide);
  if (!std::isfinite(static_cast<Wide>(value))) {
    lexer.fail(token.offset,
               std::string(token.text.substr(0, 40)) + " does not fit in " + std::string(type));
  }
  return value;
}

template <class T>
T read_element(Lexer& lexer, std::string_view type) {
  if constexpr (std::is_same_v<T, bool>) {
    return read_flag(lexer);
  } else if constexpr (std::is_integral_v<T>) {
    const Token token =
        lexer.expect(Token::Kind::number, "an integer of type " + std::string(type));
    return from_characters<T>(lexer, token, token.text, type);
  } else {
    return read_floating<T>(lexer, type);
  }
}

// For every element n of nested lists: before(k) where k lists open in front of it, element(n), and
// after(k) where k lists close behind it.
template <class Before, class Element, class After>
void walk_lists(const Shape& shape, Before&& before, Element&& element, After&& after) {
  const auto strides = shape.strides();
  const auto edges = [&](std::int64_t n) {
    int count = 0;
    for (int d = shape.rank() - 1; d >= 0; --d, ++count) {
      if (n % (strides[static_cast<std::size_t>(d)] * shape[d]) != 0) break;
    }
    return count;
  };
  for (std::int64_t n = 0; n < shape.elements(); ++n) {
    before(edges(n));
    element(n);
    after(edges(n + 1));
  }
}

}  // namespace

void append_number(std::string& out, double value) { append_element(out, value); }

void append_integers(std::string& out, const std::vector<std::int64_t>& values) {
  out += '[';
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i != 0) out += ", ";
    append_characters(out, values[i]);
  }
  out += ']';
}

void append_array(std::string& out, const Array& array, const StoreConstant& store) {
  out += name_of(array.dtype());
  out += array.shape().text();
  out += ' ';
  if (array.elements() == 0) {
    out += "[]";
    return;
  }
  if (store && array.elements() > kMostInline) {
    out += "file(" + ir::quoted(store(array)) + ")";
    return;
  }
  visit_dtype(array.dtype(), [&]<class T>(std::type_identity<T>) {
    const std::span<const T> data = array.data<T>();
    walk_lists(
        array.shape(), [&](int count) { out.append(static_cast<std::size_t>(count), '['); },
        [&](std::int64_t n) { append_element(out, data[static_cast<std::size_t>(n)]); },
        [&, n = std::int64_t{0}](int count) mutable {
          out.append(static_cast<std::size_t>(count), ']');
          if (++n != array.elements()) out += ", ";
        });
  });
}

std::int64_t read_integer(Lexer& lexer, std::string_view what) {
  const Token token = lexer.expect(Token::Kind::number, what);
  return from_characters<std::int64_t>(lexer, token, token.text, "i64");
}

double read_number(Lexer& lexer) { return read_floating<double>(lexer, "f64"); }

bool read_flag(Lexer& lexer) {
  if (lexer.accept("true")) return true;
  if (lexer.accept("false")) return false;
  lexer.fail_expected("true or false");
}

std::string read_text(Lexer& lexer, std::string_view what) {
  const Token token = lexer.expect(Token::Kind::text, what);
  return unquoted(lexer, token.text, token.offset);
}

std::string unquoted(const Lexer& lexer, std::string_view quoted, std::size_t offset) {
  std::string out;
  for (std::size_t i = 1; i + 1 < quoted.size(); ++i) {
    if (quoted[i] != '\\') {
      out += quoted[i];
      continue;
    }
    const char escape = quoted[++i];
    if (escape == '"' || escape == '\\') {
      out += escape;
    } else if (escape == 'n') {
      out += '\n';
    } else if (escape == 't') {
      out += '\t';
    } else {
      unsigned byte = 0;
      const char* const digits = quoted.data() + i + 1;
      const bool enough = escape == 'x' && i + 3 < quoted.size();
      if (!enough || std::from_chars(digits, digits + 2, byte, 16).ptr != digits + 2) {
        lexer.fail(offset + i, "the escapes are \\\" \\\\ \\n \\t and \\x with two digits");
      }
      out += static_cast<char>(byte);
      i += 2;
    }
  }
  return out;
}

std::vector<std::int64_t> read_integers(Lexer& lexer) {
  std::vector<std::int64_t> out;
  lexer.expect("[", "before a list of integers");
  if (lexer.accept("]")) return out;
  do out.push_back(read_integer(lexer, "an integer"));
  while (lexer.accept(","));
  lexer.expect("]", "or ',' after an integer of a list");
  return out;
}

DType read_dtype(Lexer& lexer) {
  const Token token = lexer.expect(Token::Kind::word, "a dtype");
  if (const auto dtype = dtype_from_name(token.text)) return *dtype;
  std::vector<std::string_view> names;
  for (int i = 0; i < kDTypeCount; ++i) names.push_back(name_of(static_cast<DType>(i)));
  lexer.fail(token.offset, "unknown dtype '" + std::string(token.text.substr(0, 40)) + "'" +
                               suggestion(token.text, names));
}

Shape read_shape(Lexer& lexer) {
  const std::size_t offset = lexer.peek().offset;
  std::vector<std::int64_t> sizes;
  lexer.expect("[", "and the sizes after the dtype");
  if (!lexer.accept("]")) {
    do sizes.push_back(read_integer(lexer, "a size"));
    while (sizes.size() <= Shape::kMaxRank && lexer.accept(","));
    if (sizes.size() <= Shape::kMaxRank) lexer.expect("]", "or ',' after a size");
  }
  try {
    return Shape(sizes);
  } catch (const TypeError& error) {
    lexer.fail(offset, error.what());
  }
}

namespace {

// The rest of file("constants/1f3a.bin").
Array read_file(Lexer& lexer, DType dtype, const Shape& shape, const LoadConstant& load) {
  lexer.expect("(", "and the name of a file");
  const std::size_t offset = lexer.peek().offset;
  const std::string name = read_text(lexer, "the name of a file in quotes");
  lexer.expect(")", "after the name of a file");
  if (!load) {
    lexer.fail(offset,
               "this constant lies in a file, and the text was read without the files "
               "beside it");
  }
  try {
    return load(name, dtype, shape);
  } catch (const Error& error) {
    lexer.fail(offset, error.what());
  }
}

}  // namespace

Array read_array(Lexer& lexer, const LoadConstant& load) {
  const DType dtype = read_dtype(lexer);
  const Shape shape = read_shape(lexer);
  if (shape.elements() == 0) {
    lexer.expect("[", "and ']': the shape has no elements");
    lexer.expect("]", "after '[': the shape has no elements");
    return Array(dtype, shape);
  }
  if (lexer.accept("file")) return read_file(lexer, dtype, shape, load);
  // Grows with the text, so that a large shape before a short list takes no memory.
  std::vector<std::byte> bytes;
  visit_dtype(dtype, [&]<class T>(std::type_identity<T>) {
    const std::string_view type = name_of(dtype);
    const std::string text = shape.text();
    walk_lists(
        shape,
        [&](int count) {
          for (; count > 0; --count) lexer.expect("[", "before the elements of shape " + text);
        },
        [&](std::int64_t) {
          const T element = read_element<T>(lexer, type);
          const auto* const begin = reinterpret_cast<const std::byte*>(&element);
          bytes.insert(bytes.end(), begin, begin + sizeof(T));
        },
        [&, n = std::int64_t{0}](int count) mutable {
          for (; count > 0; --count) lexer.expect("]", "after the elements of shape " + text);
          if (++n != shape.elements()) lexer.expect(",", "and more elements of shape " + text);
        });
  });
  Array out(dtype, shape);
  std::memcpy(out.bytes().data(), bytes.data(), bytes.size());
  return out;
}

}  // namespace tutti::ir
