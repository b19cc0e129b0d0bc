#pragma once

#include <tutti/lazy/composite.h>
#include <tutti/lazy/ops.h>
#include <tutti/lazy/tree.h>

#include <concepts>
#include <cstdint>
#include <source_location>
#include <span>
#include <utility>
#include <vector>

// Optimisers, as functions of trees: state = o.init(model), and
//   std::tie(model, state) = o.update(std::move(model), gradients, std::move(state), rate);
// `gradients` is a tree like the model, all floating-point; `rate` is a number or a scalar, such as
// a schedule gives, wherever it lies. State and model are trees, for compiled functions and files.
// Narrow floats are computed in f32 and rounded once. Throws UsageError where a leaf is known to be
// the same on several ranks, and its gradient, its state or the rate is not: it would differ from
// then on.
namespace tutti {

// Stochastic gradient descent, with momentum as PyTorch has it: velocity = momentum * velocity +
// gradient; with `nesterov` the step looks ahead by it (Sutskever et al. 2013). weight_decay is
// added to the gradient, times the weight.
struct Sgd {
  float momentum = 0;
  bool nesterov = false;
  float weight_decay = 0;

  struct State {
    std::vector<Tensor> velocity;  // in the order of the model's leaves; none without momentum
    TUTTI_FIELDS(velocity)
  };

  template <class Model>
  State init(const Model& model, std::source_location at = std::source_location::current()) const {
    return init_leaves(detail::tree_ref(model), at);
  }
  template <class Model>
  [[nodiscard]] std::pair<Model, State> update(Model model, const Model& grads, State state,
                                               const Operand& rate) const {
    update_leaves(detail::tree_ref(model), detail::tree_ref(grads), state, rate);
    return {std::move(model), std::move(state)};
  }

 private:
  void check() const;
  State init_leaves(detail::TreeRef model, Location where) const;
  void update_leaves(detail::TreeRef model, detail::TreeRef grads, State& state,
                     const Operand& rate) const;
};

// AdamW (Loshchilov and Hutter 2019, arXiv 1711.05101): Adam with decoupled weight decay. Without
// weight decay it is Adam (Kingma and Ba 2015, arXiv 1412.6980): adam().
struct AdamW {
  float beta1 = 0.9F;
  float beta2 = 0.999F;
  float epsilon = 1e-8F;
  float weight_decay = 0.01F;

  // The moving averages, in the order of the model's leaves.
  struct State {
    std::vector<Tensor> first;
    std::vector<Tensor> second;
    // f32[], how many updates there were: one for each device and set of mesh dimensions that
    // leaves lie on and are replicated over, so that no leaf makes another one vary.
    std::vector<Tensor> steps;
    TUTTI_FIELDS(first, second, steps)
  };

  // The state before the first update, replicated where the model is.
  template <class Model>
  State init(const Model& model, std::source_location at = std::source_location::current()) const {
    return init_leaves(detail::tree_ref(model), at);
  }

  // One step against `grads`, a tree like `model`; all floating-point. Gives the next model and
  // state.
  template <class Model>
  [[nodiscard]] std::pair<Model, State> update(Model model, const Model& grads, State state,
                                               const Operand& rate) const {
    update_leaves(detail::tree_ref(model), detail::tree_ref(grads), state, rate);
    return {std::move(model), std::move(state)};
  }

 private:
  void check() const;
  State init_leaves(detail::TreeRef model, Location where) const;
  void update_leaves(detail::TreeRef model, detail::TreeRef grads, State& state,
                     const Operand& rate) const;
  static std::vector<Tensor> zero_steps(const std::vector<Tensor>& leaves);
  // That which is replicated and lies as the leaf is and does; else one that is put there, as of
  // states of versions that had one for all devices.
  static Tensor step_of(const Tensor& leaf, const std::vector<Tensor>& steps);
  // Replaces the averages and returns the new leaf.
  Tensor update_leaf(const Tensor& leaf, const Tensor& gradient, Tensor& first, Tensor& second,
                     const Tensor& step, const Operand& rate) const;
};

constexpr AdamW adam(float beta1 = 0.9F, float beta2 = 0.999F, float epsilon = 1e-8F) {
  return {.beta1 = beta1, .beta2 = beta2, .epsilon = epsilon, .weight_decay = 0};
}

// The length of all gradients together: the square root of the sum of all squares, in f32, or
// in f64 if one of them is f64. Of gradients that differ between ranks it is this rank's.
Tensor global_norm(std::span<const Tensor> tensors,
                   std::source_location at = std::source_location::current());
template <class T>
  requires(!std::convertible_to<const T&, std::span<const Tensor>>)
Tensor global_norm(const T& tree, std::source_location at = std::source_location::current()) {
  return global_norm(std::span<const Tensor>(detail::tensors_of(detail::tree_ref(tree), at)), at);
}

namespace detail {
// Throws for what is clipped and for a limit that make no sense.
void check_clipped(TreeRef gradients, const Operand& most);
// The factor that makes a norm at most `most`.
Tensor clip_factor(const Tensor& norm, const Operand& most);
Tensor scaled_by(const Tensor& tensor, const Tensor& factor);
// decay * average + (1 - decay) * model. Throws for other types and for a decay outside of [0, 1].
Tensor averaged(const Tensor& average, const Tensor& model, float decay);
}  // namespace detail

// Gradients scaled so that their global_norm() is at most `most`, and that norm before. A norm that
// is NaN or infinite makes them NaN, so that it is seen.
//   auto [clipped, norm] = clip_by_global_norm(gradients, 1.F);
template <class T>
std::pair<T, Tensor> clip_by_global_norm(T gradients, const Operand& most) {
  return detail::composite("clip_by_global_norm", most.where(), [&] {
    detail::check_clipped(detail::tree_ref(gradients), most);
    const Tensor norm = global_norm(gradients);
    const Tensor factor = detail::clip_factor(norm, most);
    T out = map([&](const Tensor& leaf) { return detail::scaled_by(leaf, factor); }, gradients);
    return std::pair(std::move(out), norm);
  });
}

// Rates by step, f32: `step` is a number or an integer scalar, and what varies with it is computed,
// so that a compiled step stays one program.
// From `from` to `to` in `steps` steps, then exactly `to`.
Tensor linear_schedule(const Operand& step, double from, double to, std::int64_t steps);
// The same along half a cosine (Loshchilov and Hutter 2017, arXiv 1608.03983).
Tensor cosine_schedule(const Operand& step, double from, double to, std::int64_t steps);
// Linearly from 0 to `peak` in `warmup` steps, then along half a cosine to `end` at step `total`.
Tensor warmup_cosine_schedule(const Operand& step, double peak, std::int64_t warmup,
                              std::int64_t total, double end = 0);

// An exponential average of trees: decay * average + (1 - decay) * model. Narrow floats are
// computed in f32 and rounded once.
template <class T>
T moving_average(const T& average, const T& model, float decay,
                 std::source_location at = std::source_location::current()) {
  return detail::composite("moving_average", at, [&] {
    return map([&](const Tensor& a, const Tensor& m) { return detail::averaged(a, m, decay); },
               average, model);
  });
}

}  // namespace tutti
