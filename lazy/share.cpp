#include <tutti/ir/support/error.h>
#include <tutti/lazy/context.h>
#include <tutti/lazy/share.h>

#include <string>
#include <vector>

namespace tutti::detail {

class SharedData {
 public:
  struct Item {
    ir::Type type;
    Location where;
    std::shared_ptr<runtime::Buffer> buffer;
    std::vector<ir::LiteralUse> literal_uses;
  };
  std::uint64_t context = 0;  // of the rank whose it was
  std::vector<Item> items;    // in the order of the tree
};

std::shared_ptr<const SharedData> shared_data(TreeRef tree, std::source_location where) {
  check_values(tree, "share: ", where);
  if (const std::vector<NamedText> texts = fixed_texts_of(tree); !texts.empty()) {
    throw UsageError("share: " + quoted_path(texts[0].path, "the tensor") +
                         " is a distributed tensor, " + texts[0].text +
                         ", of which this rank's part would be every rank's; share its full()",
                     where);
  }
  std::vector<Tensor> tensors;
  walk_named_tree(tree, [&](const std::string& path, const TreeLeaf& leaf) {
    if (!leaf.is_tensor()) return;
    const std::string name = quoted_path(path, "the tensor");
    tensors.push_back(leaf.as_tensor());
    const Device device = tensors.back().device();
    if (device.is_cpu()) return;
    throw UsageError("share: " + name + " lies on " + device.text() +
                         "; ranks share data of the host alone: copy it with to(x, Device::cpu())",
                     where);
  });
  eval(std::span<const Tensor>(tensors), where);
  auto out = std::make_shared<SharedData>();
  for (const Tensor& tensor : tensors) {
    const TensorState& state = *tensor.state();
    out->context = state.context;
    out->items.push_back({state.type, state.where, state.buffer, state.literal_uses});
  }
  return out;
}

void give_data(const SharedData& data, TreeRef tree, const World& world) {
  RankContext& context = *world.context();
  std::size_t next = 0;
  walk_tree(tree, [&](const std::string&, const TreeLeaf& leaf) {
    if (!leaf.is_tensor()) return;
    const SharedData::Item& item = data.items[next++];
    ir::Type type = item.type;
    type.async = false;
    const bool own = context.id() == data.context;
    if (!own) type.replication = {};
    // Memory that was not allocated for the rank's own tensor is taken over by nothing.
    std::shared_ptr<runtime::Buffer> buffer = item.buffer;
    if (buffer->is_private()) {
      buffer = runtime::Buffer::wrap(buffer->data(), buffer->bytes(), [kept = buffer](void*) {});
    }
    StatePtr state = context.leaf(type, std::move(buffer), item.where);
    if (own) state->literal_uses = item.literal_uses;
    leaf.assign(Tensor(std::move(state)));
  });
}

}  // namespace tutti::detail
