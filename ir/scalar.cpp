#include <tutti/ir/scalar.h>
#include <tutti/ir/support/error.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace tutti::ir {

namespace {

constexpr std::string_view kNames[] = {
#define TUTTI_NAME(name, operands) #name,
    TUTTI_SCALAR_OPS(TUTTI_NAME)
#undef TUTTI_NAME
};
constexpr int kOperands[] = {
#define TUTTI_OPERANDS(name, operands) operands,
    TUTTI_SCALAR_OPS(TUTTI_OPERANDS)
#undef TUTTI_OPERANDS
};

template <class T>
T get(Cell cell) {
  if constexpr (std::is_same_v<T, bool>) {
    return cell.truth;
  } else if constexpr (std::is_same_v<T, double>) {
    return cell.number;
  } else if constexpr (std::is_same_v<T, float>) {
    return cell.single;
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<T>(cell.integer);
  } else {
    return static_cast<T>(cell.natural);
  }
}

template <class T>
Cell put(T value) {
  Cell cell;
  if constexpr (std::is_same_v<T, bool>) {
    cell.truth = value;
  } else if constexpr (std::is_same_v<T, double>) {
    cell.number = value;
  } else if constexpr (std::is_same_v<T, float>) {
    cell.single = value;
  } else if constexpr (std::is_signed_v<T>) {
    cell.integer = value;
  } else {
    cell.natural = value;
  }
  return cell;
}

template <class T>
T unary(ScalarOp op, T x) {
  if constexpr (std::is_floating_point_v<T>) {
    switch (op) {
      case ScalarOp::neg:
        return -x;
      case ScalarOp::abs:
        return std::fabs(x);
      case ScalarOp::exp:
        return std::exp(x);
      case ScalarOp::exp2:
        return std::exp2(x);
      case ScalarOp::expm1:
        return std::expm1(x);
      case ScalarOp::log:
        return std::log(x);
      case ScalarOp::log2:
        return std::log2(x);
      case ScalarOp::log1p:
        return std::log1p(x);
      case ScalarOp::sqrt:
        return std::sqrt(x);
      case ScalarOp::cbrt:
        return std::cbrt(x);
      case ScalarOp::sin:
        return std::sin(x);
      case ScalarOp::cos:
        return std::cos(x);
      case ScalarOp::tan:
        return std::tan(x);
      case ScalarOp::tanh:
        return std::tanh(x);
      case ScalarOp::erf:
        return std::erf(x);
      case ScalarOp::floor:
        return std::floor(x);
      case ScalarOp::ceil:
        return std::ceil(x);
      case ScalarOp::round:
        return std::nearbyint(x);
      default:
        break;
    }
  } else if constexpr (std::is_same_v<T, bool>) {
    if (op == ScalarOp::bit_not) return !x;
  } else {
    using U = std::make_unsigned_t<T>;
    switch (op) {
      case ScalarOp::neg:
        return static_cast<T>(U{0} - static_cast<U>(x));
      case ScalarOp::abs:
        return x < 0 ? static_cast<T>(U{0} - static_cast<U>(x)) : x;
      case ScalarOp::bit_not:
        return static_cast<T>(~x);
      default:
        break;
    }
  }
  throw InternalError("no scalar " + std::string(name_of(op)) + " of " +
                      std::string(name_of(dtype_of<T>)));
}

template <class T>
T smaller(T x, T y) {
  if constexpr (std::is_floating_point_v<T>) {
    if (x != x || y != y) return x + y;
    if (x == y) return std::signbit(x) ? x : y;  // -0 is the smaller zero
  }
  return y < x ? y : x;
}
template <class T>
T larger(T x, T y) {
  if constexpr (std::is_floating_point_v<T>) {
    if (x != x || y != y) return x + y;
    if (x == y) return std::signbit(x) ? y : x;
  }
  return x < y ? y : x;
}

template <class T>
T integer_binary(ScalarOp op, T x, T y) {
  using U = std::make_unsigned_t<T>;
  // Unsigned arithmetic of at least 32 bits: promotion to int could overflow.
  using W = std::conditional_t<(sizeof(T) < 4), std::uint32_t, U>;
  const auto a = static_cast<W>(x);
  const auto b = static_cast<W>(y);
  constexpr int kWidth = sizeof(T) * 8;
  bool too_far = static_cast<U>(y) >= static_cast<U>(kWidth);
  if constexpr (std::is_signed_v<T>) too_far = too_far || y < 0;
  switch (op) {
    case ScalarOp::add:
      return static_cast<T>(a + b);
    case ScalarOp::sub:
      return static_cast<T>(a - b);
    case ScalarOp::mul:
      return static_cast<T>(a * b);
    case ScalarOp::div:
      if (y == 0) return static_cast<T>(~U{0});
      if constexpr (std::is_signed_v<T>) {
        if (y == -1) return static_cast<T>(W{0} - a);
      }
      return static_cast<T>(x / y);
    case ScalarOp::mod:
      if (y == 0) return x;
      if constexpr (std::is_signed_v<T>) {
        if (y == -1) return 0;
      }
      return static_cast<T>(x % y);
    case ScalarOp::minimum:
      return smaller(x, y);
    case ScalarOp::maximum:
      return larger(x, y);
    case ScalarOp::bit_and:
      return static_cast<T>(x & y);
    case ScalarOp::bit_or:
      return static_cast<T>(x | y);
    case ScalarOp::bit_xor:
      return static_cast<T>(x ^ y);
    case ScalarOp::shift_left:
      return too_far ? T{0} : static_cast<T>(a << y);
    case ScalarOp::shift_right:
      if (too_far) return x < 0 ? static_cast<T>(~U{0}) : T{0};
      return static_cast<T>(x >> y);
    default:
      break;
  }
  throw InternalError("no integer " + std::string(name_of(op)));
}

template <class T>
T binary(ScalarOp op, T x, T y) {
  if constexpr (std::is_floating_point_v<T>) {
    switch (op) {
      case ScalarOp::add:
        return x + y;
      case ScalarOp::sub:
        return x - y;
      case ScalarOp::mul:
        return x * y;
      case ScalarOp::div:
        return x / y;
      case ScalarOp::mod:
        return std::fmod(x, y);
      case ScalarOp::minimum:
        return smaller(x, y);
      case ScalarOp::maximum:
        return larger(x, y);
      case ScalarOp::pow:
        return std::pow(x, y);
      case ScalarOp::atan2:
        return std::atan2(x, y);
      default:
        break;
    }
    throw InternalError("no floating-point " + std::string(name_of(op)));
  } else if constexpr (std::is_same_v<T, bool>) {
    switch (op) {
      case ScalarOp::bit_and:
        return x && y;
      case ScalarOp::bit_or:
        return x || y;
      case ScalarOp::bit_xor:
        return x != y;
      default:
        break;
    }
    throw InternalError("no bool " + std::string(name_of(op)));
  } else {
    return integer_binary(op, x, y);
  }
}

template <class T>
bool compare(ScalarOp op, T x, T y) {
  switch (op) {
    case ScalarOp::eq:
      return x == y;
    case ScalarOp::ne:
      return x != y;
    case ScalarOp::lt:
      return x < y;
    case ScalarOp::le:
      return x <= y;
    case ScalarOp::gt:
      return x > y;
    default:
      return x >= y;
  }
}

template <class To, class From>
To convert(From value) {
  if constexpr (std::is_same_v<To, bool>) {
    return value != From{0};
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    if (value != value) return 0;
    // The first value above the range is a power of two, exact in every float type.
    const From above = std::ldexp(From{1}, std::numeric_limits<To>::digits);
    if (value >= above) return std::numeric_limits<To>::max();
    if (value <= static_cast<From>(std::numeric_limits<To>::min())) {
      return std::numeric_limits<To>::min();
    }
    return static_cast<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

// Calls f with the C++ type in which a compute dtype's cells are read.
template <class F>
decltype(auto) visit_compute(DType dtype, F&& f) {
  return visit_dtype(compute_dtype(dtype), [&]<class T>(std::type_identity<T> tag) {
    if constexpr (is_narrow_float<T>) {
      return f(std::type_identity<float>());
    } else {
      return f(tag);
    }
  });
}

}  // namespace

std::string_view name_of(ScalarOp op) { return kNames[static_cast<std::size_t>(op)]; }
int operand_count(ScalarOp op) { return kOperands[static_cast<std::size_t>(op)]; }

bool is_transcendental(ScalarOp op) {
  switch (op) {
    case ScalarOp::exp:
    case ScalarOp::exp2:
    case ScalarOp::expm1:
    case ScalarOp::log:
    case ScalarOp::log2:
    case ScalarOp::log1p:
    case ScalarOp::cbrt:
    case ScalarOp::sin:
    case ScalarOp::cos:
    case ScalarOp::tan:
    case ScalarOp::tanh:
    case ScalarOp::erf:
    case ScalarOp::pow:
    case ScalarOp::atan2:
      return true;
    default:
      return false;
  }
}

Cell load_cell(DType dtype, const void* element) {
  return visit_dtype(dtype, [&]<class T>(std::type_identity<T>) {
    T value;
    std::memcpy(&value, element, sizeof(T));
    if constexpr (is_narrow_float<T>) {
      return put(static_cast<float>(value));
    } else {
      return put(value);
    }
  });
}

void store_cell(DType dtype, Cell cell, void* element) {
  visit_dtype(dtype, [&]<class T>(std::type_identity<T>) {
    T value;
    if constexpr (is_narrow_float<T>) {
      value = T(cell.single);
    } else {
      value = get<T>(cell);
    }
    std::memcpy(element, &value, sizeof(T));
  });
}

Cell cell_of(DType dtype, double value) {
  return visit_compute(dtype,
                       [&]<class T>(std::type_identity<T>) { return put(convert<T>(value)); });
}

Cell evaluate(ScalarOp op, DType dtype, std::array<Cell, 3> operands, DType to) {
  if (op == ScalarOp::bitcast) {
    std::array<std::byte, 8> bytes{};
    store_cell(dtype, operands[0], bytes.data());
    return load_cell(to, bytes.data());
  }
  if (op == ScalarOp::select) return operands[0].truth ? operands[1] : operands[2];
  return visit_compute(dtype, [&]<class T>(std::type_identity<T>) -> Cell {
    const T x = get<T>(operands[0]);
    if (op == ScalarOp::cast) {
      return visit_compute(to,
                           [&]<class To>(std::type_identity<To>) { return put(convert<To>(x)); });
    }
    if (operand_count(op) == 1) return put(unary(op, x));
    const T y = get<T>(operands[1]);
    if (is_comparison(op)) return put(compare(op, x, y));
    if (op == ScalarOp::fma) {
      const T z = get<T>(operands[2]);
      if constexpr (std::is_floating_point_v<T>) {
        return put(std::fma(x, y, z));
      } else {
        return put(binary(ScalarOp::add, binary(ScalarOp::mul, x, y), z));
      }
    }
    return put(binary(op, x, y));
  });
}

Scalar Scalar::argument(ScalarExpression* expression, int number) {
  expression->nodes.push_back(
      {.op = ScalarOp::argument, .operands = {static_cast<std::int16_t>(number), 0, 0}});
  return {expression, static_cast<std::int16_t>(expression->nodes.size() - 1)};
}

Scalar Scalar::constant(double value) const {
  expression_->nodes.push_back({.op = ScalarOp::constant, .constant = value});
  return {expression_, static_cast<std::int16_t>(expression_->nodes.size() - 1)};
}

Scalar apply(ScalarOp op, Scalar a, Scalar b, Scalar c) {
  a.expression_->nodes.push_back({.op = op, .operands = {a.node_, b.node_, c.node_}});
  return {a.expression_, static_cast<std::int16_t>(a.expression_->nodes.size() - 1)};
}
Scalar apply(ScalarOp op, Scalar a) { return apply(op, a, a, a); }
Scalar apply(ScalarOp op, Scalar a, Scalar b) { return apply(op, a, b, b); }

}  // namespace tutti::ir
