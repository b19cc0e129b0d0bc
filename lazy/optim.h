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
    State state;
    for_each_leaf(model, [&](const Tensor& leaf) {
      state.first.push_back(zeros_like(leaf));
      state.second.push_back(zeros_like(leaf));
    });
    state.steps = zero_steps(state.first);
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
    for (Tensor& step : state.steps) step = step + 1.F;
    std::size_t i = 0;
    for_each_leaf(model, [&](Tensor& leaf) {
      const Tensor& step = step_of(leaf, state.steps);
      leaf = update_leaf(leaf, gradients[i], state.first[i], state.second[i], step, rate);
      ++i;
    });
    return {std::move(model), std::move(state)};
  }

 private:
  static std::vector<Tensor> zero_steps(const std::vector<Tensor>& leaves);
  // That which is replicated as the leaf is; else any.
  static const Tensor& step_of(const Tensor& leaf, const std::vector<Tensor>& steps);
  // Replaces the averages and returns the new leaf.
  Tensor update_leaf(const Tensor& leaf, const Tensor& gradient, Tensor& first, Tensor& second,
                     const Tensor& step, const Operand& rate) const;
};

}  // namespace tutti
