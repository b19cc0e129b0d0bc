#include <tutti/lazy/static_members.h>

#include <array>
#include <charconv>
#include <cstring>
#include <system_error>
#include <type_traits>

namespace tutti::detail {

namespace {

// Calls f(std::type_identity<T>()) with the number's type; an enum's is its integer.
template <class F>
decltype(auto) visit_number(const TreeType& type, F&& f) {
  if (type.kind == TreeKind::floating) {
    if (type.bytes == sizeof(float)) return f(std::type_identity<float>());
    if (type.bytes == sizeof(double)) return f(std::type_identity<double>());
    return f(std::type_identity<long double>());
  }
  const auto integer = [&]<class Signed, class Unsigned>(std::type_identity<Signed>,
                                                         std::type_identity<Unsigned>) {
    return type.is_signed ? f(std::type_identity<Signed>()) : f(std::type_identity<Unsigned>());
  };
  switch (type.bytes) {
    case 1:
      return integer(std::type_identity<std::int8_t>(), std::type_identity<std::uint8_t>());
    case 2:
      return integer(std::type_identity<std::int16_t>(), std::type_identity<std::uint16_t>());
    case 4:
      return integer(std::type_identity<std::int32_t>(), std::type_identity<std::uint32_t>());
    default:
      return integer(std::type_identity<std::int64_t>(), std::type_identity<std::uint64_t>());
  }
}

}  // namespace

std::string static_text(const TreeLeaf& leaf) {
  if (leaf.kind == TreeKind::text) return leaf.text();
  return visit_number(*leaf.type, [&]<class T>(std::type_identity<T>) {
    T value{};
    std::memcpy(&value, leaf.place, sizeof(T));
    std::array<char, 128> text{};
    return std::string(text.data(),
                       std::to_chars(text.data(), text.data() + text.size(), value).ptr);
  });
}

bool set_static(const TreeLeaf& leaf, std::string_view text) {
  if (leaf.is_fixed_text()) return leaf.text() == text;
  if (leaf.kind == TreeKind::text) {
    *static_cast<std::string*>(leaf.place) = text;
    return true;
  }
  return visit_number(*leaf.type, [&]<class T>(std::type_identity<T>) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return false;
    if (leaf.type->is_bool && value != T{0} && value != T{1}) return false;
    std::memcpy(leaf.place, &value, sizeof(T));
    return true;
  });
}

}  // namespace tutti::detail
