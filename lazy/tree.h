#pragma once

#include <tutti/lazy/tensor.h>
#include <tutti/lazy/tree_fields.h>
#include <tutti/lazy/tree_walk.h>

#include <array>
#include <concepts>
#include <map>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

// Trees: anything made of tensors. A Tensor or AsyncTensor is a leaf; std::vector, array, pair,
// tuple, optional, map<std::string, ...> of trees, and structs that list their fields with
// TUTTI_FIELDS, are trees. Other members (numbers, enums, strings) are carried along. A leaf's name
// is its path: "blocks.3.qkv.weight".

// Inside a struct: lists the fields that make it a tree. Those of its bases belong into its list.
// One that is to be no part of the tree is named as such:
//   TUTTI_FIELDS(weight, bias, tutti::left_out(cache))
// A list that forgets a field does not compile. Where the compiler cannot count the fields (the
// struct has bases, constructors or private members) they are listed in the order of declaration,
// bases first, and a small one is not missed where padding would be.
#define TUTTI_FIELDS(...)                                                                        \
  auto tutti_fields() { return ::tutti::detail::list_fields(*this __VA_OPT__(, ) __VA_ARGS__); } \
  static constexpr std::string_view tutti_field_names() { return #__VA_ARGS__; }

namespace tutti {

namespace detail {

template <class T>
concept HasFields = requires(T& tree) { tree.tutti_fields(); };
template <class T>
concept TensorLeaf = std::same_as<T, Tensor> || std::same_as<T, AsyncTensor>;
template <class T>
concept StaticLeaf = std::is_arithmetic_v<T> || std::is_enum_v<T> || std::same_as<T, std::string>;

template <class T>
inline constexpr bool is_range_tree = false;
template <class T, class A>
inline constexpr bool is_range_tree<std::vector<T, A>> = true;
template <class T, std::size_t N>
inline constexpr bool is_range_tree<std::array<T, N>> = true;
template <class T>
inline constexpr bool is_optional_tree = false;
template <class T>
inline constexpr bool is_optional_tree<std::optional<T>> = true;
template <class T>
inline constexpr bool is_map_tree = false;
template <class T, class C, class A>
inline constexpr bool is_map_tree<std::map<std::string, T, C, A>> = true;
template <class T>
inline constexpr bool is_tuple_tree = false;
template <class... T>
inline constexpr bool is_tuple_tree<std::tuple<T...>> = true;
template <class A, class B>
inline constexpr bool is_tuple_tree<std::pair<A, B>> = true;
template <class T>
inline constexpr bool is_unsupported = false;

template <class T>
void tree_members(void* tree, TreeWalk& walk);

template <class T>
constexpr TreeType make_tree_type() {
  if constexpr (std::same_as<T, Tensor>) {
    return {.kind = TreeKind::tensor};
  } else if constexpr (std::same_as<T, AsyncTensor>) {
    return {.kind = TreeKind::async_tensor};
  } else if constexpr (std::same_as<T, std::string>) {
    return {.kind = TreeKind::text};
  } else if constexpr (std::same_as<T, FixedText>) {
    return {.kind = TreeKind::text, .is_fixed = true};
  } else if constexpr (std::is_floating_point_v<T>) {
    static_assert(std::same_as<T, float> || std::same_as<T, double> || std::same_as<T, long double>,
                  "a number in a tree is a float, a double or a long double");
    return {.kind = TreeKind::floating, .bytes = sizeof(T)};
  } else if constexpr (std::is_enum_v<T>) {
    return make_tree_type<std::underlying_type_t<T>>();
  } else if constexpr (std::is_integral_v<T>) {
    static_assert(sizeof(T) <= sizeof(std::uint64_t), "an integer in a tree has at most 64 bits");
    return {.kind = TreeKind::integer,
            .bytes = sizeof(T),
            .is_signed = std::is_signed_v<T>,
            .is_bool = std::same_as<T, bool>};
  } else {
    return {.kind = TreeKind::members, .members = &tree_members<T>};
  }
}
template <class T>
inline constexpr TreeType tree_type = make_tree_type<T>();
template <class T>
inline constexpr TreeType tree_type<const T> = tree_type<T>;

template <class T>
TreeRef tree_ref(const T& tree) {
  return {const_cast<void*>(static_cast<const void*>(std::addressof(tree))), &tree_type<T>};
}

template <class Field>
void walk_field(void* place, std::string_view& names, TreeWalk& walk) {
  const std::string_view name = next_field(names);
  if constexpr (!is_left_out<Field>) walk.field(name, place, tree_type<Field>);
}

template <class Owner, class... Field>
void walk_fields(const Fields<Owner, Field...>& fields, [[maybe_unused]] std::string_view names,
                 [[maybe_unused]] TreeWalk& walk) {
  [[maybe_unused]] void* const* place = fields.places;
  (walk_field<Field>(*place++, names, walk), ...);
}

// What each type of tree adds to a program.
template <class T>
void tree_members(void* place, TreeWalk& walk) {
  T& tree = *static_cast<T*>(place);
  if constexpr (HasFields<T>) {
    using List = decltype(tree.tutti_fields());
    static_assert(names_differ(T::tutti_field_names()), "a field is in TUTTI_FIELDS twice");
    static_assert(lists_all<T>(static_cast<const List*>(nullptr)),
                  "a field is missing in TUTTI_FIELDS: it lists all, those of bases too, in the "
                  "order of declaration; left_out(x) names one that is no part of the tree");
    walk_fields(tree.tutti_fields(), T::tutti_field_names(), walk);
  } else if constexpr (is_range_tree<T>) {
    walk.size(tree.size());
    std::size_t index = 0;
    for (auto& element : tree) {
      walk.element(index++, &element, tree_type<typename T::value_type>);
    }
  } else if constexpr (is_map_tree<T>) {
    walk.size(tree.size());
    for (auto& [name, element] : tree) {
      walk.key(name);
      walk.field(name, &element, tree_type<typename T::mapped_type>);
    }
  } else if constexpr (is_optional_tree<T>) {
    walk.size(tree ? 1U : 0U);
    if (tree) walk.go(&*tree, tree_type<typename T::value_type>);
  } else if constexpr (is_tuple_tree<T>) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (walk.element(I, place_of(std::get<I>(tree)), tree_type<std::tuple_element_t<I, T>>), ...);
    }(std::make_index_sequence<std::tuple_size_v<T>>());
  } else {
    static_assert(is_unsupported<T>,
                  "not a tree: list the struct's fields with TUTTI_FIELDS(a, b, ...)");
  }
}

// Whether a tree may hold leaves of a type; `Inside`: the structs that are looked at.
template <class T, class Leaf, class... Inside>
struct Holds : std::bool_constant<std::same_as<T, Leaf>> {};
template <class T, class Leaf, class... Inside>
struct Holds<const T, Leaf, Inside...> : Holds<T, Leaf, Inside...> {};
template <class T, class Leaf, class... Inside>
  requires(is_range_tree<T> || is_optional_tree<T>)
struct Holds<T, Leaf, Inside...> : Holds<typename T::value_type, Leaf, Inside...> {};
template <class T, class Leaf, class... Inside>
  requires is_map_tree<T>
struct Holds<T, Leaf, Inside...> : Holds<typename T::mapped_type, Leaf, Inside...> {};
template <class... T, class Leaf, class... Inside>
struct Holds<std::tuple<T...>, Leaf, Inside...>
    : std::bool_constant<(Holds<T, Leaf, Inside...>::value || ...)> {};
template <class A, class B, class Leaf, class... Inside>
struct Holds<std::pair<A, B>, Leaf, Inside...>
    : std::bool_constant<Holds<A, Leaf, Inside...>::value || Holds<B, Leaf, Inside...>::value> {};
template <class Owner, class... T, class Leaf, class... Inside>
struct Holds<Fields<Owner, T...>, Leaf, Inside...>
    : std::bool_constant<(Holds<T, Leaf, Inside...>::value || ...)> {};
template <class T, class Leaf, class... Inside>
  requires(HasFields<T> && !(std::same_as<T, Inside> || ...))
struct Holds<T, Leaf, Inside...>
    : Holds<decltype(std::declval<T&>().tutti_fields()), Leaf, T, Inside...> {};

// f(leaf) of a tree that may be const; leaves that a T cannot hold are none that f takes.
template <class T, class F>
void call_with(const TreeLeaf& leaf, F&& f) {
  using Bare = std::remove_const_t<T>;
  if constexpr (Holds<Bare, Tensor>::value) {
    using Leaf = std::conditional_t<std::is_const_v<T>, const Tensor, Tensor>;
    if (leaf.kind == TreeKind::tensor) f(static_cast<Leaf&>(leaf.tensor()));
  }
  if constexpr (Holds<Bare, AsyncTensor>::value) {
    using Leaf = std::conditional_t<std::is_const_v<T>, const AsyncTensor, AsyncTensor>;
    if (leaf.kind == TreeKind::async_tensor) f(static_cast<Leaf&>(leaf.async_tensor()));
  }
}

}  // namespace detail

// Calls f(leaf) for every tensor of a tree, in the order of declaration; leaves are Tensor or
// AsyncTensor, const if the tree is.
template <class T, class F>
void for_each_leaf(T& tree, F&& f) {
  detail::walk_tree(detail::tree_ref(tree), [&](const std::string&, const detail::TreeLeaf& leaf) {
    detail::call_with<T>(leaf, f);
  });
}

// Calls f(name, leaf), the name being the leaf's path.
template <class T, class F>
void for_each_named_leaf(T& tree, F&& f) {
  detail::walk_named_tree(detail::tree_ref(tree),
                          [&](const std::string& name, const detail::TreeLeaf& leaf) {
                            detail::call_with<T>(leaf, [&](auto& tensor) { f(name, tensor); });
                          });
}

// The tensors of a tree by name, in the order of declaration; AsyncTensors wait.
template <class T>
std::vector<std::pair<std::string, Tensor>> leaves(const T& tree) {
  return detail::named_tensors_of(detail::tree_ref(tree));
}

namespace detail {

// Throws UsageError, naming the first path that not all have, unless all have the same tensors with
// the same fixed texts.
void check_same_structure(std::string_view what, std::span<const TreeRef> trees, Location where);

template <class F, class T, class... Others>
T map_trees(Location where, F& f, const T& first, const Others&... others) {
  const std::array<TreeRef, 1 + sizeof...(others)> trees = {tree_ref(first), tree_ref(others)...};
  check_same_structure("map", trees, where);
  std::vector<Tensor> out = tensors_of(trees[0], where);
  const std::array<std::vector<Tensor>, sizeof...(Others)> columns = {
      tensors_of(tree_ref(others), where)...};
  for (std::size_t row = 0; row < out.size(); ++row) {
    out[row] = [&]<std::size_t... I>(std::index_sequence<I...>) {
      return f(out[row], columns[I][row]...);
    }(std::index_sequence_for<Others...>());
  }
  T tree = first;
  set_tensors(tree_ref(tree), out);
  return tree;
}

}  // namespace detail

// A tree like `a` whose leaves are f(leaf of a, leaf of the others...), of up to six trees. They
// must have the same structure; else UsageError. (An overload for each number of trees: the line
// comes last.)
template <class F, class T>
T map(F&& f, const T& a, std::source_location at = std::source_location::current()) {
  return detail::map_trees(at, f, a);
}
template <class F, class T, class B>
T map(F&& f, const T& a, const B& b, std::source_location at = std::source_location::current()) {
  return detail::map_trees(at, f, a, b);
}
template <class F, class T, class B, class C>
T map(F&& f, const T& a, const B& b, const C& c,
      std::source_location at = std::source_location::current()) {
  return detail::map_trees(at, f, a, b, c);
}
template <class F, class T, class B, class C, class D>
T map(F&& f, const T& a, const B& b, const C& c, const D& d,
      std::source_location at = std::source_location::current()) {
  return detail::map_trees(at, f, a, b, c, d);
}
template <class F, class T, class B, class C, class D, class E>
T map(F&& f, const T& a, const B& b, const C& c, const D& d, const E& e,
      std::source_location at = std::source_location::current()) {
  return detail::map_trees(at, f, a, b, c, d, e);
}
template <class F, class T, class B, class C, class D, class E, class G>
T map(F&& f, const T& a, const B& b, const C& c, const D& d, const E& e, const G& g,
      std::source_location at = std::source_location::current()) {
  return detail::map_trees(at, f, a, b, c, d, e, g);
}

// Computes all tensors of a tree in one go.
template <class T>
  requires(!std::same_as<T, Tensor> && !std::convertible_to<const T&, std::span<const Tensor>>)
void eval(const T& tree, std::source_location at = std::source_location::current()) {
  eval(std::span<const Tensor>(detail::tensors_of(detail::tree_ref(tree), at)), at);
}

// Returns when the results of all collectives in a tree (a list of AsyncTensors, say) are there:
// issues what was recorded and waits for it. Throws the first failure.
template <class T>
void wait_all(const T& tree, std::source_location at = std::source_location::current()) {
  eval(std::span<const Tensor>(detail::tensors_of(detail::tree_ref(tree), at)), at);
}

}  // namespace tutti
