#include <tutti/codegen/cuda/emit_scalar.h>
#include <tutti/ir/support/error.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

namespace tutti::codegen::cuda {

namespace {

using ir::ScalarOp;

[[noreturn]] void refuse(ScalarOp op, DType dtype) {
  throw InternalError("no " + std::string(ir::name_of(op)) + " of " + std::string(name_of(dtype)) +
                      " in CUDA");
}

// Functions of the device's mathematical library, which have an f at the end of their names for
// f32. (Comparisons, arithmetic and so on are operators.)
std::string_view library_function(ScalarOp op) {
  switch (op) {
    case ScalarOp::abs:
      return "fabs";
    case ScalarOp::round:
      return "rint";
    case ScalarOp::mod:
      return "fmod";
    case ScalarOp::exp:
    case ScalarOp::exp2:
    case ScalarOp::expm1:
    case ScalarOp::log:
    case ScalarOp::log2:
    case ScalarOp::log1p:
    case ScalarOp::sqrt:
    case ScalarOp::cbrt:
    case ScalarOp::sin:
    case ScalarOp::cos:
    case ScalarOp::tan:
    case ScalarOp::tanh:
    case ScalarOp::erf:
    case ScalarOp::floor:
    case ScalarOp::ceil:
    case ScalarOp::pow:
    case ScalarOp::atan2:
    case ScalarOp::fma:
      return ir::name_of(op);
    default:
      return "";
  }
}

std::string library_call(ScalarOp op, DType dtype, const std::string& arguments) {
  const std::string_view function = library_function(op);
  if (function.empty()) refuse(op, dtype);
  return std::string(function) + (dtype == DType::f64 ? "(" : "f(") + arguments + ")";
}

std::string_view symbol(ScalarOp op) {
  switch (op) {
    case ScalarOp::add:
      return " + ";
    case ScalarOp::sub:
      return " - ";
    case ScalarOp::mul:
      return " * ";
    case ScalarOp::div:
      return " / ";
    case ScalarOp::bit_and:
      return " & ";
    case ScalarOp::bit_or:
      return " | ";
    case ScalarOp::bit_xor:
      return " ^ ";
    case ScalarOp::eq:
      return " == ";
    case ScalarOp::ne:
      return " != ";
    case ScalarOp::lt:
      return " < ";
    case ScalarOp::le:
      return " <= ";
    case ScalarOp::gt:
      return " > ";
    case ScalarOp::ge:
      return " >= ";
    default:
      return "";
  }
}

std::string converted(DType dtype, const std::string& expression) {
  return type_name(dtype) + "(" + expression + ")";
}

// The type in which integers of a dtype are added and multiplied: unsigned, as only those wrap, and
// not narrower than what C++ computes in.
DType wrapping(DType dtype) { return size_of(dtype) == 8 ? DType::u64 : DType::u32; }

std::string wrapped(DType dtype, const std::string& x, std::string_view operation,
                    const std::string& y) {
  const DType wide = wrapping(dtype);
  if (dtype == wide) return x + std::string(operation) + y;
  return converted(dtype, converted(wide, x) + std::string(operation) + converted(wide, y));
}

template <class T>
std::string decimal(T number) {
  char digits[64];
  const auto end = std::to_chars(digits, digits + sizeof(digits), number);
  std::string text(digits, end.ptr);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

}  // namespace

std::string type_name(DType dtype) { return std::string(name_of(dtype)); }

std::string literal(std::int64_t number) {
  const bool narrow = number >= std::numeric_limits<std::int32_t>::min() + 1 &&
                      number <= std::numeric_limits<std::int32_t>::max();
  // The least number has no positive counterpart to negate.
  if (number == std::numeric_limits<std::int64_t>::min()) return "(-9223372036854775807LL - 1)";
  return std::to_string(number) + (narrow ? "" : "LL");
}

std::string literal(DType dtype, ir::Cell cell) {
  const auto bits_of = [](DType type, auto bits) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof(digits), bits, 16);
    return "bits_as<" + type_name(type) + ">(0x" + std::string(digits, end.ptr) +
           (type == DType::f64 ? "ULL)" : "U)");
  };
  switch (dtype) {
    case DType::boolean:
      return cell.truth ? "true" : "false";
    case DType::f32:
      if (!std::isfinite(cell.single)) {
        return bits_of(dtype, std::bit_cast<std::uint32_t>(cell.single));
      }
      return std::signbit(cell.single) ? "(" + decimal(cell.single) + "F)"
                                       : decimal(cell.single) + "F";
    case DType::f64:
      if (!std::isfinite(cell.number)) {
        return bits_of(dtype, std::bit_cast<std::uint64_t>(cell.number));
      }
      return std::signbit(cell.number) ? "(" + decimal(cell.number) + ")" : decimal(cell.number);
    case DType::u32:
      return std::to_string(cell.natural) + "U";
    case DType::u64:
      return std::to_string(cell.natural) + "ULL";
    case DType::i32:
      if (cell.integer > std::numeric_limits<std::int32_t>::min()) {
        const std::string text = std::to_string(cell.integer);
        return cell.integer < 0 ? "(" + text + ")" : text;
      }
      break;
    case DType::u8:
    case DType::u16:
      return converted(dtype, std::to_string(cell.natural));
    default:
      break;
  }
  const std::string text = literal(cell.integer);
  return converted(dtype, text);
}

std::string ScalarPrinter::call(std::string_view text, std::string_view function,
                                const std::string& arguments) {
  use(text);
  return std::string(function) + "(" + arguments + ")";
}

std::string ScalarPrinter::apply(ScalarOp op, DType dtype,
                                 const std::array<std::string, 3>& operands, DType to) {
  const auto& [x, y, z] = operands;
  switch (op) {
    case ScalarOp::cast:
      return cast(dtype, ir::compute_dtype(to), x);
    case ScalarOp::bitcast:
      return bitcast(dtype, to, x);
    case ScalarOp::select:
      return x + " ? " + y + " : " + z;
    case ScalarOp::fma:
      if (is_floating(dtype)) return library_call(op, dtype, x + ", " + y + ", " + z);
      return converted(dtype, wrapped(wrapping(dtype), converted(wrapping(dtype), x), " * ",
                                      converted(wrapping(dtype), y)) +
                                  " + " + converted(wrapping(dtype), z));
    default:
      break;
  }
  return ir::operand_count(op) == 1 ? unary(op, dtype, x) : binary(op, dtype, x, y);
}

std::string ScalarPrinter::unary(ScalarOp op, DType dtype, const std::string& x) {
  if (is_floating(dtype)) {
    return op == ScalarOp::neg ? "-" + x : library_call(op, dtype, x);
  }
  switch (op) {
    case ScalarOp::neg:
      return call("integers", "negated", x);
    case ScalarOp::abs:
      return is_unsigned(dtype) ? x : call("integers", "absolute", x);
    case ScalarOp::bit_not:
      return dtype == DType::boolean ? "!" + x : converted(dtype, "~" + x);
    default:
      refuse(op, dtype);
  }
}

std::string ScalarPrinter::binary(ScalarOp op, DType dtype, const std::string& x,
                                  const std::string& y) {
  const std::string both = x + ", " + y;
  switch (op) {
    case ScalarOp::minimum:
    case ScalarOp::maximum:
      return call("extremes", ir::name_of(op), both);
    case ScalarOp::add:
    case ScalarOp::sub:
    case ScalarOp::mul:
      return is_floating(dtype) ? x + std::string(symbol(op)) + y
                                : wrapped(dtype, x, symbol(op), y);
    case ScalarOp::div:
      return is_floating(dtype) ? x + " / " + y : call("integers", "divide", both);
    case ScalarOp::mod:
      return is_floating(dtype) ? library_call(op, dtype, both) : call("integers", "modulo", both);
    case ScalarOp::shift_left:
    case ScalarOp::shift_right:
      return call("integers", ir::name_of(op), both);
    case ScalarOp::bit_and:
    case ScalarOp::bit_or:
    case ScalarOp::bit_xor:
      // C++ computes small integers, and truth values, as int.
      return size_of(dtype) >= 4 ? x + std::string(symbol(op)) + y
                                 : converted(dtype, x + std::string(symbol(op)) + y);
    default:
      if (ir::is_comparison(op)) return x + std::string(symbol(op)) + y;
      return library_call(op, dtype, both);
  }
}

std::string ScalarPrinter::cast(DType from, DType to, const std::string& x) {
  if (from == to) return x;
  if (to == DType::boolean) return x + " != 0";
  if (is_floating(from) && !is_floating(to)) {
    return call("saturate", "saturate<" + type_name(to) + ">", x);
  }
  return converted(to, x);
}

std::string ScalarPrinter::bitcast(DType from, DType to, const std::string& x) {
  const std::string bits = narrow(from, x);
  if (from == to) return widen(to, bits);
  // Any bits but those of 0 are "true".
  if (to == DType::boolean) return call("bits", "bits_as<u8>", bits) + " != 0";
  return widen(to, call("bits", "bits_as<" + type_name(to) + ">", bits));
}

std::string ScalarPrinter::widen(DType storage, const std::string& element) {
  return is_narrow_floating(storage) ? call("narrow_floats", "widen", element) : element;
}

std::string ScalarPrinter::narrow(DType storage, const std::string& value) {
  return is_narrow_floating(storage)
             ? call("narrow_floats", "narrow<" + type_name(storage) + ">", value)
             : value;
}

std::string ScalarPrinter::round(DType storage, const std::string& value) {
  return call("narrow_floats", "rounded<" + type_name(storage) + ">", value);
}

}  // namespace tutti::codegen::cuda
