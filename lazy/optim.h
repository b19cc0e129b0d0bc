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
    Tensor step;  // f32[], how many updates there were
    TUTTI_FIELDS(first, second, step)
  };

  // The state before the first update, replicated where the model is.
  template <class Model>
  State init(const Model& model) const {
    State state;
    for_each_leaf(model, [&](const Tensor& leaf) {
      state.first.push_back(zeros_like(leaf));
      state.second.push_back(zeros_like(leaf));
    });
    if (!state.first.empty()) state.step = zero_steps(state.first);
    return state;
  }

  // One step against `grads`, a tree like `model`; all floating-point.
  template <class Model>
  std::pair<Model, State> update(Model model, const Model& grads, State state,
                                 const Operand& rate) const {
    std::vector<Tensor> gradients;
    for_each_leaf(grads, [&](const Tensor& leaf) { gradients.push_back(leaf); });
    std::size_t leaves = 0;
    for_each_leaf(model, [&](const Tensor&) { ++leaves; });
    if (gradients.size() != leaves || state.first.size() != leaves ||
        state.second.size() != leaves) {
      throw UsageError("AdamW: model, gradients and state differ in structure", rate.where());
    }
    state.step = state.step + 1.F;
    std::size_t i = 0;
    for_each_leaf(model, [&](Tensor& leaf) {
      leaf = update_leaf(leaf, gradients[i], state.first[i], state.second[i], state.step, rate);
      ++i;
    });
    return {std::move(model), std::move(state)};
  }

 private:
  // A count that is replicated wherever one of the leaves is that is replicated over most.
  static Tensor zero_steps(const std::vector<Tensor>& leaves);
  // Replaces the averages and returns the new leaf.
  Tensor update_leaf(const Tensor& leaf, const Tensor& gradient, Tensor& first, Tensor& second,
                     const Tensor& step, const Operand& rate) const;
};

}  // namespace tutti
