#pragma once

#include <tutti/lazy/ops.h>
#include <tutti/lazy/tree.h>

#include <utility>
#include <vector>

namespace tutti {

// AdamW (Loshchilov and Hutter 2019, arXiv 1711.05101): Adam with decoupled weight decay.
struct AdamW {
  float beta1 = 0.9F;
  float beta2 = 0.999F;
  float epsilon = 1e-8F;
  float weight_decay = 0.01F;

  // The moving averages, in the order of the model's leaves.
  struct State {
    std::vector<Tensor> first;
    std::vector<Tensor> second;
    // f32[], how many updates there were: one for each set of mesh dimensions that leaves are
    // replicated over, so that no leaf makes another one vary.
    std::vector<Tensor> steps;
    TUTTI_FIELDS(first, second, steps)
  };

  // The state before the first update, replicated where the model is.
  template <class Model>
  State init(const Model& model) const {
    return init_leaves(detail::tensors_of(detail::tree_ref(model)));
  }

  // One step against `grads`, a tree like `model`; all floating-point.
  template <class Model>
  std::pair<Model, State> update(Model model, const Model& grads, State state,
                                 const Operand& rate) const {
    update_leaves(detail::tree_ref(model), detail::tensors_of(detail::tree_ref(grads)), state,
                  rate);
    return {std::move(model), std::move(state)};
  }

 private:
  static State init_leaves(const std::vector<Tensor>& leaves);
  void update_leaves(detail::TreeRef model, const std::vector<Tensor>& gradients, State& state,
                     const Operand& rate) const;
  static std::vector<Tensor> zero_steps(const std::vector<Tensor>& leaves);
  // That which is replicated as the leaf is; else any.
  static const Tensor& step_of(const Tensor& leaf, const std::vector<Tensor>& steps);
  // Replaces the averages and returns the new leaf.
  Tensor update_leaf(const Tensor& leaf, const Tensor& gradient, Tensor& first, Tensor& second,
                     const Tensor& step, const Operand& rate) const;
};

}  // namespace tutti
