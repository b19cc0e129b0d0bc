#pragma once

#include <tutti/lazy/tensor.h>

#include <array>
#include <map>
#include <optional>
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

// Inside a struct: lists the fields that make it a tree.
#define TUTTI_FIELDS(...)                                     \
  auto tutti_fields() { return std::tie(__VA_ARGS__); }       \
  auto tutti_fields() const { return std::tie(__VA_ARGS__); } \
  static constexpr std::string_view tutti_field_names() { return #__VA_ARGS__; }

namespace tutti {

namespace detail {

template <class T>
concept HasFields = requires(T& tree) { tree.tutti_fields(); };
template <class T>
concept TensorLeaf = std::same_as<std::remove_const_t<T>, Tensor> ||
                     std::same_as<std::remove_const_t<T>, AsyncTensor>;
template <class T>
concept StaticLeaf =
    std::is_arithmetic_v<std::remove_const_t<T>> || std::is_enum_v<std::remove_const_t<T>> ||
    std::same_as<std::remove_const_t<T>, std::string>;

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

// What a tree's visitor is told of a container before its members.
struct ContainerSize {
  std::size_t size;
};
// And of a map before each.
struct MapKey {
  std::string_view name;
};

// The path to the member being visited; free when nobody asks for names.
class Path {
 public:
  explicit Path(bool wanted) : wanted_(wanted) {}
  const std::string& text() const { return text_; }

  template <class F>
  void inside(std::string_view name, F&& f) {
    if (!wanted_) return f();
    const std::size_t length = text_.size();
    if (length != 0) text_ += '.';
    text_ += name;
    f();
    text_.resize(length);
  }
  template <class F>
  void inside(std::size_t index, F&& f) {
    if (!wanted_) return f();
    inside(std::to_string(index), std::forward<F>(f));
  }

 private:
  bool wanted_;
  std::string text_;
};

// The next name of a TUTTI_FIELDS list.
constexpr std::string_view next_field(std::string_view& names) {
  while (!names.empty() && names.front() == ' ') names.remove_prefix(1);
  const std::size_t end = names.find(',');
  const std::string_view name = names.substr(0, end);
  names.remove_prefix(end == std::string_view::npos ? names.size() : end + 1);
  return name;
}

// Calls visit(path, leaf) for every tensor and every static member, in the order of declaration.
template <class T, class Visit>
void walk_tree(T& tree, Path& path, Visit& visit) {
  using Bare = std::remove_const_t<T>;
  if constexpr (TensorLeaf<T> || StaticLeaf<T>) {
    visit(path.text(), tree);
  } else if constexpr (HasFields<T>) {
    std::string_view names = Bare::tutti_field_names();
    std::apply(
        [&](auto&... fields) {
          (path.inside(next_field(names), [&] { walk_tree(fields, path, visit); }), ...);
        },
        tree.tutti_fields());
  } else if constexpr (is_range_tree<Bare>) {
    visit(path.text(), ContainerSize{tree.size()});
    std::size_t index = 0;
    for (auto& element : tree) path.inside(index++, [&] { walk_tree(element, path, visit); });
  } else if constexpr (is_map_tree<Bare>) {
    visit(path.text(), ContainerSize{tree.size()});
    for (auto& [name, element] : tree) {
      visit(path.text(), MapKey{name});
      path.inside(name, [&] { walk_tree(element, path, visit); });
    }
  } else if constexpr (is_optional_tree<Bare>) {
    visit(path.text(), ContainerSize{tree ? 1U : 0U});
    if (tree) walk_tree(*tree, path, visit);
  } else if constexpr (is_tuple_tree<Bare>) {
    std::size_t index = 0;
    std::apply(
        [&](auto&... elements) {
          (path.inside(index++, [&] { walk_tree(elements, path, visit); }), ...);
        },
        tree);
  } else {
    static_assert(is_unsupported<Bare>,
                  "not a tree: list the struct's fields with TUTTI_FIELDS(a, b, ...)");
  }
}

}  // namespace detail

// Calls f(leaf) for every tensor of a tree, in the order of declaration; leaves are Tensor or
// AsyncTensor, const if the tree is.
template <class T, class F>
void for_each_leaf(T& tree, F&& f) {
  detail::Path path(false);
  auto visit = [&](const std::string&, auto&& leaf) {
    if constexpr (detail::TensorLeaf<std::remove_reference_t<decltype(leaf)>>) f(leaf);
  };
  detail::walk_tree(tree, path, visit);
}

// Calls f(name, leaf), the name being the leaf's path.
template <class T, class F>
void for_each_named_leaf(T& tree, F&& f) {
  detail::Path path(true);
  auto visit = [&](const std::string& name, auto&& leaf) {
    if constexpr (detail::TensorLeaf<std::remove_reference_t<decltype(leaf)>>) f(name, leaf);
  };
  detail::walk_tree(tree, path, visit);
}

// The tensors of a tree by name, in the order of declaration; AsyncTensors wait.
template <class T>
std::vector<std::pair<std::string, Tensor>> leaves(const T& tree) {
  std::vector<std::pair<std::string, Tensor>> out;
  for_each_named_leaf(
      tree, [&](const std::string& name, const auto& leaf) { out.emplace_back(name, leaf); });
  return out;
}

// A tree like `first` whose leaves are f(leaf of first, leaf of the others...). The trees must have
// the same structure; else UsageError.
template <class F, class T, class... Others>
T map(F&& f, const T& first, const Others&... others) {
  const std::array<std::vector<Tensor>, sizeof...(Others)> columns = {[](const auto& tree) {
    std::vector<Tensor> out;
    for_each_leaf(tree, [&](const auto& leaf) { out.push_back(leaf); });
    return out;
  }(others)...};
  std::size_t rows = 0;
  for_each_leaf(first, [&](const auto&) { ++rows; });
  for (const auto& column : columns) {
    if (column.size() != rows) throw UsageError("map: the trees differ in structure");
  }
  T out = first;
  std::size_t row = 0;
  for_each_leaf(out, [&](auto& leaf) {
    leaf = [&]<std::size_t... I>(std::index_sequence<I...>) {
      return f(Tensor(leaf), columns[I][row]...);
    }(std::index_sequence_for<Others...>());
    ++row;
  });
  return out;
}

// Computes all tensors of a tree in one go.
template <class T>
  requires(!std::same_as<T, Tensor> && !std::convertible_to<const T&, std::span<const Tensor>>)
void eval(const T& tree, std::source_location at = std::source_location::current()) {
  std::vector<Tensor> tensors;
  for_each_leaf(tree, [&](const auto& leaf) { tensors.push_back(leaf); });
  eval(std::span<const Tensor>(tensors), at);
}

// Returns when the results of all collectives in a tree (a list of AsyncTensors, say) are there:
// issues what was recorded and waits for it. Throws the first failure.
template <class T>
void wait_all(const T& tree, std::source_location at = std::source_location::current()) {
  std::vector<Tensor> tensors;
  for_each_leaf(tree, [&](const auto& leaf) { tensors.push_back(Tensor(leaf)); });
  eval(std::span<const Tensor>(tensors), at);
}

}  // namespace tutti
