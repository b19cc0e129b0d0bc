// What the trees of loops and branches have in common.

#include <tutti/ir/names.h>
#include <tutti/ir/support/error.h>
#include <tutti/lazy/control.h>
#include <tutti/lazy/redistribute.h>
#include <tutti/lazy/tensor_state.h>

#include <string>

namespace tutti::detail {

void keep_placements(TreeRef given) {
  ir::Replication last;
  walk_tree(given, [&](const std::string&, const TreeLeaf& leaf) {
    if (leaf.kind == TreeKind::tensor) {
      last = leaf.tensor().state()->type.replication;
    } else if (leaf.is_fixed_text() && !last.literal &&
               (leaf.fixed_text().same & ~last.dimensions) != 0) {
      may_be_hidden();
    }
  });
}

std::vector<Tensor> next_carries(std::string_view call, TreeRef carry, TreeRef next,
                                 Location where) {
  std::vector<Tensor> out = tensors_of(next, where);
  const std::vector<Tensor> carried = tensors_of(carry);
  const auto refuse = [&](const std::string& what) {
    throw TypeError(std::string(call) + ": a step gives " + what, where);
  };
  if (out.size() != carried.size()) {
    refuse(ir::counted(out.size(), "tensor") + " for a carry of " + std::to_string(carried.size()));
  }
  if (const auto differs = different_paths(carry, next)) {
    refuse("'" + differs->second + "' where the carry has '" + differs->first + "'");
  }
  if (const auto differs = different_texts(carry, next)) {
    refuse(differs->second.text + " for " + quoted_path(differs->first.path, "the carry") +
           ", which begins as " + differs->first.text +
           "; a carry keeps its placements: redistribute() what the step gives");
  }
  keep_placements(next);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const ir::Type& wanted = carried[i].state()->type;
    const ir::Type& given = out[i].state()->type;
    if (given.dtype == wanted.dtype && given.shape == wanted.shape) continue;
    const std::string path = named_tensors_of(carry)[i].first;
    refuse(given.text() + " for " + quoted_path(path, "the carry") + ", which begins as " +
           wanted.text() + "; a carry keeps its type");
  }
  return out;
}

void check_branches_agree(std::string_view call, TreeRef first, TreeRef other, Location where) {
  if (const auto differs = different_paths(first, other)) {
    throw TypeError(std::string(call) + ": one branch gives '" + differs->first +
                        "' where another gives '" + differs->second + "'",
                    where);
  }
  if (const auto differs = different_texts(first, other)) {
    throw TypeError(std::string(call) + ": one branch gives " + differs->first.text + " for " +
                        quoted_path(differs->first.path, "the result") + ", another " +
                        differs->second.text + "; redistribute() one of them",
                    where);
  }
}

void refuse_distributed(std::string_view does, TreeRef tree, Location where) {
  const std::vector<NamedText> texts = fixed_texts_of(tree);
  if (texts.empty()) return;
  throw TypeError("scan: " + quoted_path(texts[0].path, "the tensor") + " that it " +
                      std::string(does) + " is a distributed tensor" +
                      (texts[0].text.empty() ? "" : ", " + texts[0].text) +
                      "; a step has one axis less, so its placements are not those of the whole: "
                      "take its local() or full()",
                  where);
}

}  // namespace tutti::detail
