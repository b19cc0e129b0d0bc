#pragma once

#include <tutti/lazy/tree.h>
#include <tutti/lazy/world.h>

#include <memory>
#include <source_location>
#include <utility>

namespace tutti {

namespace detail {

// The data of a tree's tensors, which is of no rank.
class SharedData;
std::shared_ptr<const SharedData> shared_data(TreeRef tree, std::source_location where);
// Gives the tensors of a tree of the same form that data, as the rank's own.
void give_data(const SharedData& data, TreeRef tree, const World& world);

}  // namespace detail

// See share(). Copies are the same data; it stays as long as one of them or a tensor that was made
// of it. From any thread, any number at a time.
template <class Tree>
class Shared {
 public:
  // The tree for the rank of a World: its tensors are that rank's, over the same memory, which
  // nothing writes to and no call takes over. They vary from rank to rank as any data does;
  // replicated(tree, world) says otherwise.
  Tree on(const World& world) const {
    Tree out = *form_;
    detail::give_data(*data_, detail::tree_ref(out), world);
    return out;
  }

 private:
  Shared(std::shared_ptr<const Tree> form, std::shared_ptr<const detail::SharedData> data)
      : form_(std::move(form)), data_(std::move(data)) {}
  template <class T>
  friend Shared<T> share(T tree, std::source_location at);

  std::shared_ptr<const Tree> form_;  // its tensors have no value
  std::shared_ptr<const detail::SharedData> data_;
};

// The data of a tree for other ranks of this process, without a copy, such as the weights that the
// threads of a server compute with. Computes the tensors, and waits for those that collectives are
// to give. Throws UsageError for a tensor without a value, naming its path, for one on a GPU, and
// for a DistributedTensor.
template <class T>
Shared<T> share(T tree, std::source_location at = std::source_location::current()) {
  std::shared_ptr<const detail::SharedData> data = detail::shared_data(detail::tree_ref(tree), at);
  detail::clear_tensors(detail::tree_ref(tree));
  return Shared<T>(std::make_shared<const T>(std::move(tree)), std::move(data));
}

}  // namespace tutti
