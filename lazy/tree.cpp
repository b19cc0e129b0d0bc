#include <tutti/ir/support/error.h>
#include <tutti/lazy/tensor_state.h>
#include <tutti/lazy/tree.h>

#include <algorithm>
#include <optional>

namespace tutti::detail {

namespace {

// Calls f(tensor) for each Tensor and AsyncTensor.
template <class F>
void for_each_tensor(TreeRef tree, F&& f) {
  walk_tree(tree, [&](const std::string&, const TreeLeaf& leaf) {
    if (leaf.kind == TreeKind::tensor) f(leaf.tensor());
    if (leaf.kind == TreeKind::async_tensor) f(leaf.async_tensor());
  });
}

// Calls f(leaf) for each of both kinds.
template <class F>
void for_each_tensor_leaf(TreeRef tree, F&& f) {
  walk_tree(tree, [&](const std::string&, const TreeLeaf& leaf) {
    if (leaf.is_tensor()) f(leaf);
  });
}

}  // namespace

bool TreeLeaf::has_value() const {
  return kind == TreeKind::tensor ? tensor().defined() : async_tensor().defined();
}

bool TreeLeaf::was_moved() const {
  return kind == TreeKind::tensor ? tensor().was_moved() : async_tensor().was_moved();
}

Tensor TreeLeaf::as_tensor() const {
  return kind == TreeKind::tensor ? tensor() : Tensor(async_tensor());
}

void TreeLeaf::assign(const Tensor& value) const {
  if (kind == TreeKind::tensor) {
    tensor() = value;
  } else {
    async_tensor() = value.defined() ? AsyncTensor(value.state()) : AsyncTensor();
  }
}

void TreeWalk::go_inside(std::string_view name, void* place, const TreeType& type) {
  const std::size_t length = path_.size();
  if (length != 0) path_ += '.';
  path_ += name;
  go(place, type);
  path_.resize(length);
}

void TreeWalk::go_inside(std::size_t index, void* place, const TreeType& type) {
  go_inside(std::to_string(index), place, type);
}

void walk_tree(TreeRef tree, TreeWalk::Visit visit) {
  TreeWalk(visit, false).go(tree.tree, *tree.type);
}

void walk_named_tree(TreeRef tree, TreeWalk::Visit visit) {
  TreeWalk(visit, true).go(tree.tree, *tree.type);
}

std::vector<Tensor> tensors_of(TreeRef tree) {
  std::vector<Tensor> out;
  for_each_tensor_leaf(tree, [&](const TreeLeaf& leaf) { out.push_back(leaf.as_tensor()); });
  return out;
}

void check_values(TreeRef tree, const std::string& what, Location where) {
  std::size_t number = 0;
  std::optional<std::size_t> missing;
  for_each_tensor_leaf(tree, [&](const TreeLeaf& leaf) {
    if (!leaf.has_value() && !missing) missing = number;
    ++number;
  });
  if (missing) fail_without_value(tree, *missing, what, where);
}

void fail_without_value(TreeRef tree, std::size_t number, const std::string& what, Location where) {
  std::string text;
  walk_named_tree(tree, [&](const std::string& path, const TreeLeaf& leaf) {
    if (!leaf.is_tensor() || number-- != 0) return;
    const std::string name = path.empty() ? "this tensor" : "'" + path + "'";
    const bool alone = path.empty() && !what.empty() && what.back() == ' ';
    text = without_value(alone ? "the " + what.substr(0, what.size() - 1) : what + name,
                         leaf.was_moved());
  });
  throw UsageError(text, where);
}

std::vector<Tensor> tensors_of(TreeRef tree, Location where) {
  check_values(tree, "", where);
  return tensors_of(tree);
}

std::vector<Tensor> waited_tensors_of(TreeRef tree, std::source_location at) {
  check_values(tree, "", at);
  std::vector<Tensor> out;
  for_each_tensor(tree, [&]<class Leaf>(const Leaf& leaf) {
    if constexpr (std::same_as<Leaf, AsyncTensor>) {
      out.push_back(leaf.wait(at));
    } else {
      out.push_back(leaf);
    }
  });
  return out;
}

std::vector<Tensor> floating_tensors_of(TreeRef tree, Location where) {
  check_values(tree, "", where);
  std::vector<Tensor> out;
  for_each_tensor(tree, [&](const auto& leaf) {
    if (is_floating(leaf.dtype())) out.push_back(leaf);
  });
  return out;
}

std::vector<std::pair<std::string, Tensor>> named_tensors_of(TreeRef tree) {
  std::vector<std::pair<std::string, Tensor>> out;
  walk_named_tree(tree, [&](const std::string& path, const TreeLeaf& leaf) {
    if (leaf.kind == TreeKind::tensor) out.emplace_back(path, leaf.tensor());
    if (leaf.kind == TreeKind::async_tensor) out.emplace_back(path, leaf.async_tensor());
  });
  return out;
}

namespace {

// What tells trees of one type apart: how large containers are, and what keys are called.
std::vector<std::pair<std::size_t, std::string_view>> forms_of(TreeRef tree) {
  std::vector<std::pair<std::size_t, std::string_view>> out;
  walk_tree(tree, [&](const std::string&, const TreeLeaf& leaf) {
    const bool counts = leaf.kind == TreeKind::size || leaf.kind == TreeKind::key;
    if (counts) out.emplace_back(leaf.size_value, leaf.key_value);
  });
  return out;
}

std::vector<std::string> tensor_paths(TreeRef tree) {
  std::vector<std::string> out;
  walk_named_tree(tree, [&](const std::string& path, const TreeLeaf& leaf) {
    if (leaf.is_tensor()) out.push_back(path);
  });
  return out;
}

}  // namespace

std::optional<std::pair<std::string, std::string>> different_paths(TreeRef a, TreeRef b) {
  if (a.type != b.type) return std::nullopt;
  if (forms_of(a) == forms_of(b)) return std::nullopt;  // names take time
  const std::vector<std::string> ours = tensor_paths(a);
  const std::vector<std::string> theirs = tensor_paths(b);
  if (ours.size() != theirs.size()) return std::nullopt;
  const auto [own, other] = std::ranges::mismatch(ours, theirs);
  if (own == ours.end()) return std::nullopt;
  return std::pair(*own, *other);
}

namespace {

bool has_fixed_text(TreeRef tree) {
  bool out = false;
  walk_tree(tree,
            [&](const std::string&, const TreeLeaf& leaf) { out = out || leaf.is_fixed_text(); });
  return out;
}

}  // namespace

std::vector<NamedText> fixed_texts_of(TreeRef tree) {
  std::vector<NamedText> out;
  if (!has_fixed_text(tree)) return out;  // most trees; names take time
  walk_named_tree(tree, [&](const std::string& path, const TreeLeaf& leaf) {
    if (!leaf.is_fixed_text()) return;
    const std::size_t dot = path.rfind('.');
    out.push_back({path.substr(0, dot == path.npos ? 0 : dot), leaf.text()});
  });
  return out;
}

std::optional<std::pair<NamedText, NamedText>> different_texts(TreeRef a, TreeRef b) {
  if (a.type != b.type) return std::nullopt;
  const std::vector<NamedText> ours = fixed_texts_of(a);
  const std::vector<NamedText> theirs = fixed_texts_of(b);
  const auto [own, other] =
      std::ranges::mismatch(ours, theirs, {}, &NamedText::text, &NamedText::text);
  if (own == ours.end() || other == theirs.end()) return std::nullopt;
  return std::pair(*own, *other);
}

std::string quoted_path(const std::string& path, std::string_view alone) {
  return path.empty() ? std::string(alone) : "'" + path + "'";
}

namespace {

// What has no value is told of later.
void check_same_texts(std::string_view what, TreeRef first, TreeRef other, std::size_t number,
                      Location where) {
  const auto differs = different_texts(first, other);
  if (!differs || differs->first.text.empty() || differs->second.text.empty()) return;
  throw UsageError(std::string(what) + ": " + quoted_path(differs->first.path, "the tensor") +
                       " is " + differs->first.text + " in the first tree and " +
                       differs->second.text + " in number " + std::to_string(number) +
                       "; redistribute one of them",
                   where);
}

}  // namespace

void check_same_structure(std::string_view what, std::span<const TreeRef> trees, Location where) {
  const auto count = [](TreeRef tree) {
    std::size_t out = 0;
    for_each_tensor_leaf(tree, [&](const TreeLeaf&) { ++out; });
    return out;
  };
  for (std::size_t i = 1; i < trees.size(); ++i) {
    const std::size_t first = count(trees[0]);
    const std::size_t other = count(trees[i]);
    std::string text = std::string(what) + ": the trees differ in structure: the first has ";
    if (first == other) {
      const auto differs = different_paths(trees[0], trees[i]);
      if (!differs) {
        check_same_texts(what, trees[0], trees[i], i + 1, where);
        continue;
      }
      throw UsageError(text + "'" + differs->first + "' where number " + std::to_string(i + 1) +
                           " has '" + differs->second + "'",
                       where);
    }
    text += std::to_string(first) + " tensors, number " + std::to_string(i + 1) + " has " +
            std::to_string(other);
    const std::vector<std::string> ours = tensor_paths(trees[0]);
    const std::vector<std::string> theirs = tensor_paths(trees[i]);
    const std::vector<std::string>& more = first > other ? ours : theirs;
    const std::vector<std::string>& less = first > other ? theirs : ours;
    for (const std::string& path : more) {
      if (std::ranges::find(less, path) != less.end()) continue;
      text += ", and '" + path + "' is only in the " + (first > other ? "first" : "latter");
      break;
    }
    throw UsageError(text, where);
  }
}

void set_tensors(TreeRef tree, const std::vector<Tensor>& tensors, std::size_t& next) {
  for_each_tensor_leaf(tree, [&](const TreeLeaf& leaf) { leaf.assign(tensors[next++]); });
}

void set_tensors(TreeRef tree, const std::vector<Tensor>& tensors) {
  std::size_t next = 0;
  set_tensors(tree, tensors, next);
}

void set_floating_tensors(TreeRef tree, const std::vector<Tensor>& tensors) {
  std::size_t next = 0;
  for_each_tensor_leaf(tree, [&](const TreeLeaf& leaf) {
    if (is_floating(leaf.as_tensor().dtype())) leaf.assign(tensors[next++]);
  });
}

void set_tensors(TreeRef tree, const std::vector<AsyncTensor>& tensors, std::source_location at) {
  std::size_t next = 0;
  for_each_tensor(tree, [&]<class Leaf>(Leaf& leaf) {
    if constexpr (std::same_as<Leaf, Tensor>) {
      leaf = tensors[next++].wait(at);
    } else {
      leaf = tensors[next++];
    }
  });
}

void clear_tensors(TreeRef tree) {
  for_each_tensor(tree, [](auto& leaf) { leaf = {}; });
}

}  // namespace tutti::detail
