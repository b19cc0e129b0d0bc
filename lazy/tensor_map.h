#pragma once

#include <tutti/ir/type.h>
#include <tutti/lazy/tensor.h>
#include <tutti/lazy/tree.h>

#include <map>
#include <source_location>
#include <string>
#include <vector>

// Tensors by name, as files have them, and how they become a model's.
namespace tutti {

using TensorMap = std::map<std::string, Tensor>;

// A rule for names: "bert.encoder.layer.*.attention.self.query.weight" becomes
// "blocks.*.query.weight". A * stands for one or more characters without a dot, ** for any at all;
// what they stand for goes where the new name has them, in order.
struct Renaming {
  std::string from;
  std::string to;          // empty: the tensor is left out
  bool transpose = false;  // exchanges the last two axes: PyTorch's linear weights are [out, in]
};

// The tensors under other names: for each the first rule that fits its name, or none. Throws
// UsageError where two would have one name, for a new name with other stars than the old one, and
// for a tensor to be transposed that has no two axes.
TensorMap renamed(const TensorMap& tensors, const std::vector<Renaming>& rules,
                  std::source_location at = std::source_location::current());

namespace detail {

// Throws UsageError for the path of a tree that is a tensor alone.
void require_name(const std::string& path, Location where);

// What a tree wants of its leaves, by name; "" as the type of one without a value, which takes
// anything.
struct WantedTensor {
  ir::Type type;
  bool any = false;
};
std::map<std::string, WantedTensor> wanted_tensors(TreeRef like, Location where);
// Throws UsageError that names all that is missing, left over or of another type than wanted;
// `given` is where it comes from. With `cast`, dtypes need not agree.
void check_tensors(const std::map<std::string, WantedTensor>& wanted,
                   const std::map<std::string, ir::Type>& there, bool cast,
                   const std::string& given, Location where);
// Gives each leaf the tensor of its name, in its dtype if it had one.
void assign_tensors(TreeRef tree, const TensorMap& tensors, Location where);

void fill_tree(TreeRef tree, const TensorMap& tensors, bool cast, Location where);

}  // namespace detail

// A tree like `like` whose leaves are the tensors of their names, "blocks.3.qkv.weight"; a leaf
// without a value takes any tensor. With `cast` they take the dtypes of the leaves. Throws one
// UsageError that names all tensors that are missing, left over, or of another shape or dtype.
template <class T>
T with_tensors(T like, const TensorMap& tensors, bool cast = false,
               std::source_location at = std::source_location::current()) {
  detail::fill_tree(detail::tree_ref(like), tensors, cast, at);
  return like;
}

}  // namespace tutti
