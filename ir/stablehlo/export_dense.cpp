#include <tutti/ir/stablehlo/export_writer.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

// Types, constants and strings as MLIR writes them.
namespace tutti::ir::stablehlo {

namespace {

// Longer constants are written as their bytes.
constexpr std::int64_t kMostListed = 256;

std::string_view mlir_name(DType dtype) {
  constexpr std::string_view kNames[] = {"i1",     "ui8", "ui16", "ui32", "ui64",
                                         "i8",     "i16", "i32",  "i64",  "f8E4M3FN",
                                         "f8E5M2", "f16", "bf16", "f32",  "f64"};
  static_assert(std::size(kNames) == kDTypeCount);
  return kNames[static_cast<std::size_t>(dtype)];
}

constexpr std::string_view kHexDigits = "0123456789ABCDEF";

void append_hex(std::string& out, std::byte byte) {
  const auto bits = static_cast<unsigned>(byte);
  out += kHexDigits[bits >> 4];
  out += kHexDigits[bits & 15];
}

// All bits: "0x7FC00000".
std::string bits_text(std::span<const std::byte> bytes) {
  std::string out = "0x";
  for (std::size_t i = bytes.size(); i > 0; --i) append_hex(out, bytes[i - 1]);
  return out;
}

// MLIR reads decimals as f64 and then rounds: the digits must survive that, and need a point.
template <class T>
std::string decimal_text(T value) {
  char buffer[64];
  const auto end =
      std::to_chars(std::begin(buffer), std::end(buffer), value, std::chars_format::scientific).ptr;
  std::string out(buffer, end);
  double read = 0;
  std::from_chars(out.data(), out.data() + out.size(), read);
  if (static_cast<T>(read) != value) return "";
  if (out.find('.') == out.npos) out.insert(out.find('e'), ".0");
  return out;
}

std::string element_text(const Array& array, std::int64_t n) {
  const auto size = static_cast<std::size_t>(size_of(array.dtype()));
  const auto bytes = array.bytes().subspan(static_cast<std::size_t>(n) * size, size);
  return visit_dtype(array.dtype(), [&]<class T>(std::type_identity<T>) -> std::string {
    T value;
    std::memcpy(&value, bytes.data(), sizeof(T));
    if constexpr (std::is_same_v<T, bool>) {
      return value ? "true" : "false";
    } else if constexpr (std::is_integral_v<T>) {
      return std::to_string(value);
    } else {
      using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;
      const auto wide = static_cast<Wide>(value);
      const std::string decimal = std::isfinite(wide) ? decimal_text(wide) : "";
      return decimal.empty() ? bits_text(bytes) : decimal;
    }
  });
}

void append_list(std::string& out, const Array& array, int dimension, std::int64_t& n) {
  if (dimension == array.shape().rank()) {
    out += element_text(array, n++);
    return;
  }
  out += "[";
  for (std::int64_t i = 0; i < array.shape()[dimension]; ++i) {
    if (i != 0) out += ", ";
    append_list(out, array, dimension + 1, n);
  }
  out += "]";
}

// Whether all elements have the bits of the first.
bool is_splat(const Array& array) {
  const auto bytes = array.bytes();
  const auto size = static_cast<std::size_t>(size_of(array.dtype()));
  return std::equal(bytes.begin() + static_cast<std::ptrdiff_t>(size), bytes.end(), bytes.begin());
}

template <class Items, class F>
std::string joined(const Items& items, F&& text_of) {
  std::string out;
  for (const auto& item : items) {
    if (!out.empty()) out += ", ";
    out += text_of(item);
  }
  return out;
}

}  // namespace

std::string tensor_text(DType dtype, const Shape& shape) {
  std::string out = "tensor<";
  for (const std::int64_t size : shape) out += std::to_string(size) + "x";
  out += mlir_name(dtype);
  return out + ">";
}

std::string numbers_text(std::span<const std::int64_t> numbers) {
  return joined(numbers, [](std::int64_t number) { return std::to_string(number); });
}

std::string array_text(std::span<const std::int64_t> numbers) {
  return numbers.empty() ? "array<i64>" : "array<i64: " + numbers_text(numbers) + ">";
}

std::string types_text(std::span<const TextValue> values) {
  return joined(values, [](const TextValue& value) { return value.type(); });
}

std::string names_text(std::span<const TextValue> values) {
  return joined(values, [](const TextValue& value) { return value.name; });
}

std::string mlir_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const bool plain = c >= ' ' && c <= '~' && c != '"' && c != '\\';
    if (plain) {
      out += c;
    } else {
      out += '\\';
      append_hex(out, static_cast<std::byte>(c));
    }
  }
  return out + "\"";
}

std::string location_text(Location at) {
  if (!at.known()) return "";
  return " loc(" + mlir_quoted(at.file()) + ":" + std::to_string(at.line()) + ":0)";
}

std::string dense_text(const Array& array) {
  std::string out = "dense<";
  if (array.elements() == 0) {
    // Nothing stands for no elements.
  } else if (is_splat(array)) {
    out += element_text(array, 0);
  } else if (array.elements() > kMostListed && array.dtype() != DType::boolean) {
    out += "\"0x";
    for (const std::byte byte : array.bytes()) append_hex(out, byte);
    out += "\"";
  } else {
    std::int64_t n = 0;
    append_list(out, array, 0, n);
  }
  return out + "> : " + tensor_text(array.dtype(), array.shape());
}

}  // namespace tutti::ir::stablehlo
