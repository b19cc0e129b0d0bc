#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

// How structs list their fields (tree.h), and whether a list is complete.
namespace tutti {

namespace detail {

// A member that is in the list and no part of the tree.
template <class T>
struct LeftOut {};
template <class T>
inline constexpr bool is_left_out = false;
template <class T>
inline constexpr bool is_left_out<LeftOut<T>> = true;

// The places of a struct's fields. `Owner`: the struct that lists them; void: what is listed are
// not members.
template <class Owner, class... Field>
struct Fields {
  void* places[sizeof...(Field) + 1];  // a null at the end
};

template <class T>
void* place_of(T& field) {
  return const_cast<void*>(static_cast<const void*>(std::addressof(field)));
}
template <class T>
void* place_of(LeftOut<T>&) {
  return nullptr;
}

template <class Owner, class... Field>
auto list_fields(Owner&, Field&&... fields) {
  return Fields<Owner, std::remove_cvref_t<Field>...>{{place_of(fields)..., nullptr}};
}

// The next name of a list.
constexpr std::string_view next_field(std::string_view& names) {
  while (!names.empty() && names.front() == ' ') names.remove_prefix(1);
  const std::size_t end = names.find(',');
  const std::string_view name = names.substr(0, end);
  names.remove_prefix(end == std::string_view::npos ? names.size() : end + 1);
  return name;
}

constexpr bool names_differ(std::string_view names) {
  while (!names.empty()) {
    const std::string_view name = next_field(names);
    for (std::string_view others = names; !others.empty();) {
      if (next_field(others) == name) return false;
    }
  }
  return true;
}

// Becomes any type, and any base of T. Never called; clang asks for bodies where a member's own
// constructor, as that of std::optional, would call them.
struct Anything {
  template <class T>
  operator T() const {  // NOLINT(google-explicit-constructor)
    std::terminate();
  }
};
template <class T>
struct AnyBase {
  template <class Base>
    requires(std::is_base_of_v<Base, T> && !std::is_same_v<Base, T>)
  operator Base() const {  // NOLINT(google-explicit-constructor)
    std::terminate();
  }
};

// Whether an aggregate T has so many members: T{a, b, ...}. A base is like a member, before them.
template <class T, std::size_t... I>
consteval bool has_members(std::index_sequence<I...>) {
  return requires { T{(static_cast<void>(I), Anything())...}; };
}
template <class T, std::size_t count>
inline constexpr bool has_members_v = has_members<T>(std::make_index_sequence<count>());
template <class T>
inline constexpr bool has_base = requires { T{AnyBase<T>()}; };

// Elements of arrays count as members.
template <class T>
inline constexpr std::size_t member_count = 1;
template <class T, std::size_t N>
inline constexpr std::size_t member_count<T[N]> = N * member_count<T>;

template <class T>
struct Member {
  using Type = T;
};
template <class T>
struct Member<LeftOut<T>> {
  using Type = T;
};

// Where the last of such members, one after another, ends.
template <class... Type>
consteval std::size_t end_of(std::size_t end) {
  ((end = (end + alignof(Type) - 1) / alignof(Type) * alignof(Type) + sizeof(Type)), ...);
  return end;
}

// Whether a list holds all fields of T and of its bases. Members of an aggregate can be counted.
// Of other types the layout is compared: the members in the order of the list have to fill them,
// and one that was forgotten where padding would be is not seen.
template <class T, class Owner, class... Field>
consteval bool lists_all(const Fields<Owner, Field...>*) {
  constexpr std::size_t end = end_of<typename Member<Field>::Type...>(
      std::is_polymorphic_v<T> ? sizeof(void*) : std::size_t{0});
  if constexpr (std::is_void_v<Owner>) {
    return true;
  } else if constexpr (!std::is_same_v<Owner, T>) {  // T has the list of its base
    if constexpr (std::is_aggregate_v<T>) {
      return has_base<T> && !has_members_v<T, 2>;
    } else {
      return end == sizeof(T);
    }
  } else {
    constexpr std::size_t count = (member_count<typename Member<Field>::Type> + ... + 0);
    if constexpr (std::is_aggregate_v<T> && !has_base<T> && has_members_v<T, count>) {
      return !has_members_v<T, count + 1>;
    } else if constexpr (sizeof...(Field) == 0) {
      return std::is_empty_v<T>;
    } else {
      return (end + alignof(T) - 1) / alignof(T) * alignof(T) == sizeof(T);
    }
  }
}

}  // namespace detail

// In a list of fields: a member that is no part of the tree. Nothing looks at it: it is copied with
// the tree, and a compiled function takes no notice of its value.
template <class T>
detail::LeftOut<T> left_out(const T&) {
  return {};
}

}  // namespace tutti
