#pragma once

#include <tutti/ir/support/location.h>
#include <tutti/ir/support/narrow_float.h>

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tutti {

// The element types, in one table: enumerator, name in IR text, C++ type.
#define TUTTI_DTYPES(X)                            \
  X(boolean, "bool", bool)                         \
  X(u8, "u8", std::uint8_t)                        \
  X(u16, "u16", std::uint16_t)                     \
  X(u32, "u32", std::uint32_t)                     \
  X(u64, "u64", std::uint64_t)                     \
  X(i8, "i8", std::int8_t)                         \
  X(i16, "i16", std::int16_t)                      \
  X(i32, "i32", std::int32_t)                      \
  X(i64, "i64", std::int64_t)                      \
  X(f8_e4m3fn, "f8_e4m3fn", ::tutti::Float8E4M3FN) \
  X(f8_e5m2, "f8_e5m2", ::tutti::Float8E5M2)       \
  X(f16, "f16", ::tutti::Float16)                  \
  X(bf16, "bf16", ::tutti::BFloat16)               \
  X(f32, "f32", float)                             \
  X(f64, "f64", double)

enum class DType : std::uint8_t {
#define TUTTI_ENUMERATOR(name, text, type) name,
  TUTTI_DTYPES(TUTTI_ENUMERATOR)
#undef TUTTI_ENUMERATOR
};

#define TUTTI_COUNT(name, text, type) +1
inline constexpr int kDTypeCount = 0 TUTTI_DTYPES(TUTTI_COUNT);
#undef TUTTI_COUNT

// The dtype that holds a C++ type: dtype_of<float> is DType::f32.
template <class T>
struct DTypeOf;
#define TUTTI_DTYPE_OF(name, text, type) \
  template <>                            \
  struct DTypeOf<type> : std::integral_constant<DType, DType::name> {};
TUTTI_DTYPES(TUTTI_DTYPE_OF)
#undef TUTTI_DTYPE_OF
template <class T>
inline constexpr DType dtype_of = DTypeOf<T>::value;

// Whether it is one of them: a cast from a number may give any.
constexpr bool is_dtype(DType dtype) { return static_cast<int>(dtype) < kDTypeCount; }
// Throws TypeError for one that is not. Whatever takes a dtype from a user's program asks.
void check_dtype(DType dtype, Location where = {});

// Calls f(std::type_identity<T>()) with the C++ type of a dtype.
template <class F>
constexpr decltype(auto) visit_dtype(DType dtype, F&& f) {
  switch (dtype) {
#define TUTTI_CASE(name, text, type) \
  case DType::name:                  \
    return std::forward<F>(f)(std::type_identity<type>());
    TUTTI_DTYPES(TUTTI_CASE)
#undef TUTTI_CASE
  }
  __builtin_unreachable();
}

// Bytes of one element.
constexpr std::int64_t size_of(DType dtype) {
  return visit_dtype(
      dtype, []<class T>(std::type_identity<T>) { return static_cast<std::int64_t>(sizeof(T)); });
}

constexpr bool is_floating(DType dtype) { return dtype >= DType::f8_e4m3fn; }
// The floating-point dtypes of 8 and 16 bits, which are stored so and computed in f32.
constexpr bool is_narrow_floating(DType dtype) {
  return dtype >= DType::f8_e4m3fn && dtype <= DType::bf16;
}
constexpr bool is_unsigned(DType dtype) { return dtype >= DType::u8 && dtype <= DType::u64; }
constexpr bool is_signed_integer(DType dtype) { return dtype >= DType::i8 && dtype <= DType::i64; }
constexpr bool is_integer(DType dtype) { return dtype >= DType::u8 && dtype <= DType::i64; }

// Whether products of the host that compute in one dtype read operands of another as if they had
// been cast first.
constexpr bool products_widen(DType from, DType to) {
  return to == DType::i32 && (from == DType::i8 || from == DType::u8 || from == DType::i16);
}

// The bits of a floating-point dtype's mantissa: 23 of f32. Of no other dtype.
constexpr int mantissa_bits(DType dtype) {
  switch (dtype) {
    case DType::f8_e5m2:
      return 2;
    case DType::f8_e4m3fn:
      return 3;
    case DType::bf16:
      return 7;
    case DType::f16:
      return 10;
    case DType::f32:
      return 23;
    default:
      return 52;
  }
}

// The end of a dtype's numbers: infinity, where there is one. Integers have none, but casts of it
// give their largest number.
constexpr double reach_of(DType dtype) {
  return dtype == DType::f8_e4m3fn ? 448 : std::numeric_limits<double>::infinity();
}

// "f32"; the name in IR text and in messages. "no dtype" of a number that is none.
std::string_view name_of(DType dtype);
std::ostream& operator<<(std::ostream& out, DType dtype);
std::optional<DType> dtype_from_name(std::string_view name);

}  // namespace tutti
