#pragma once

#include <tutti/lazy/tensor.h>
#include <tutti/runtime/function_ref.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// The walk over trees (tree.h) whose types are not known: each type of tree tells of its members,
// and all else is ordinary code.
namespace tutti::detail {

class TreeWalk;

enum class TreeKind : std::uint8_t {
  tensor,
  async_tensor,
  // Static members: numbers, enums and strings.
  floating,
  integer,
  text,
  // What a visitor is told of a container before its members, and of a map before each.
  size,
  key,
  // Not told: what has members.
  members
};

// What the walk knows of a type.
struct TreeType {
  TreeKind kind = TreeKind::members;
  std::uint8_t bytes = 0;  // of a number
  bool is_signed = false;  // of an integer
  bool is_bool = false;
  bool is_fixed = false;  // of a text: see FixedText
  // Tells the walk of each member, in the order of declaration.
  void (*members)(void* tree, TreeWalk& walk) = nullptr;
};

// In a list of fields: what the tensor before it means. Others share it, and nothing writes it:
// trees that are to fit have the same text.
struct FixedText {
  std::string text;  // empty: the tensor has no value
  // Over which dimensions of the program's mesh it is the same, and over which it is a part.
  std::uint8_t same = 0;
  std::uint8_t varying = 0;
};

// A tree of any type. Whoever made it of a const one changes nothing.
struct TreeRef {
  void* tree = nullptr;
  const TreeType* type = nullptr;
};

// What a visitor meets.
struct TreeLeaf {
  TreeKind kind;
  const TreeType* type = nullptr;  // null of a size or a key
  void* place = nullptr;
  std::size_t size_value = 0;
  std::string_view key_value = {};

  Tensor& tensor() const { return *static_cast<Tensor*>(place); }
  AsyncTensor& async_tensor() const { return *static_cast<AsyncTensor*>(place); }
  bool is_tensor() const { return kind <= TreeKind::async_tensor; }
  bool is_fixed_text() const { return kind == TreeKind::text && type->is_fixed; }
  const FixedText& fixed_text() const { return *static_cast<const FixedText*>(place); }
  const std::string& text() const {
    return is_fixed_text() ? fixed_text().text : *static_cast<const std::string*>(place);
  }
  // Of both kinds of tensors: whether there is one; the tensor, for which an AsyncTensor waits, and
  // another in its place.
  bool has_value() const;
  bool was_moved() const;  // and has none
  Tensor as_tensor() const;
  void assign(const Tensor& value) const;
};

// Goes through a tree in the order of declaration.
class TreeWalk {
 public:
  // `path` is the leaf's, "blocks.3.weight", or empty if nobody asked for it.
  using Visit = runtime::FunctionRef<void(const std::string& path, const TreeLeaf& leaf)>;
  TreeWalk(Visit visit, bool paths) : visit_(visit), paths_(paths) {}

  void go(void* tree, const TreeType& type) {
    if (type.kind == TreeKind::members) return type.members(tree, *this);
    visit_(path_, {.kind = type.kind, .type = &type, .place = tree});
  }

  // For TreeType::members.
  void field(std::string_view name, void* place, const TreeType& type) {
    if (!paths_) return go(place, type);
    go_inside(name, place, type);
  }
  void element(std::size_t index, void* place, const TreeType& type) {
    if (!paths_) return go(place, type);
    go_inside(index, place, type);
  }
  void size(std::size_t size) { visit_(path_, {.kind = TreeKind::size, .size_value = size}); }
  void key(std::string_view name) { visit_(path_, {.kind = TreeKind::key, .key_value = name}); }

 private:
  void go_inside(std::string_view name, void* place, const TreeType& type);
  void go_inside(std::size_t index, void* place, const TreeType& type);

  Visit visit_;
  bool paths_;
  std::string path_;
};

// Calls visit(path, leaf) for every tensor and every static member; without paths they are empty.
void walk_tree(TreeRef tree, TreeWalk::Visit visit);
void walk_named_tree(TreeRef tree, TreeWalk::Visit visit);

// Throws UsageError, naming the path behind `what` ("argument 0."), if a tensor of a tree has no
// value.
void check_values(TreeRef tree, const std::string& what, Location where);
// The error of the tensor of that number.
[[noreturn]] void fail_without_value(TreeRef tree, std::size_t number, const std::string& what,
                                     Location where);
// The tensors of a tree; AsyncTensors wait. With a line, throws UsageError there for one that has
// no value, naming its path.
std::vector<Tensor> tensors_of(TreeRef tree);
std::vector<Tensor> tensors_of(TreeRef tree, Location where);
std::vector<Tensor> waited_tensors_of(TreeRef tree, std::source_location at);
// Those that floating-point derivatives are made of.
std::vector<Tensor> floating_tensors_of(TreeRef tree, Location where);
std::vector<std::pair<std::string, Tensor>> named_tensors_of(TreeRef tree);
// Of trees of one type, with as many tensors: the first paths that differ, of tensors in the same
// place.
std::optional<std::pair<std::string, std::string>> different_paths(TreeRef a, TreeRef b);

// A fixed text, and the path of what has it.
struct NamedText {
  std::string path;
  std::string text;
};
std::vector<NamedText> fixed_texts_of(TreeRef tree);
// Of trees of one type, as far as they go together: the first fixed texts that differ.
std::optional<std::pair<NamedText, NamedText>> different_texts(TreeRef a, TreeRef b);
// "'blocks.3.w'", or `alone` for the empty path of a tree without members.
std::string quoted_path(const std::string& path, std::string_view alone);

// Puts other tensors in their places, from the one at `next` on, which it advances.
void set_tensors(TreeRef tree, const std::vector<Tensor>& tensors, std::size_t& next);
void set_tensors(TreeRef tree, const std::vector<Tensor>& tensors);
void set_floating_tensors(TreeRef tree, const std::vector<Tensor>& tensors);
// Results of collectives, which wait where the tree holds a Tensor.
void set_tensors(TreeRef tree, const std::vector<AsyncTensor>& tensors, std::source_location at);
// Leaves tensors without values.
void clear_tensors(TreeRef tree);

}  // namespace tutti::detail
