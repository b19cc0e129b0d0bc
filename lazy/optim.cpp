#include <tutti/lazy/create.h>
#include <tutti/lazy/optim.h>
#include <tutti/lazy/tensor_state.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <numbers>
#include <string>
#include <variant>

namespace tutti {

namespace {

Tensor converted(const Tensor& x, DType dtype) { return x.dtype() == dtype ? x : cast(x, dtype); }

void check_scalar(const char* what, const Operand& given) {
  if (!given.is_tensor() || given.tensor().rank() == 0) return;
  throw TypeError(
      std::string(what) + " is a number or a scalar, not " + given.tensor().state()->type.text(),
      given.where());
}

// A rate that a schedule gave is f32.
Operand as_rate(const Operand& rate, const Tensor& leaf) {
  check_scalar("the rate of an optimiser's step", rate);
  if (!rate.is_tensor() || rate.dtype() == leaf.dtype()) return rate;
  return {cast(rate, leaf.dtype()), rate.where()};
}

// The model's leaves are as many as there are in each of the lists, and of the same types.
void check_structure(const char* name, detail::TreeRef model,
                     std::initializer_list<const std::vector<Tensor>*> lists, Location where) {
  const std::vector<Tensor> leaves = detail::tensors_of(model, where);
  for (const std::vector<Tensor>* const list : lists) {
    if (list->size() != leaves.size()) {
      throw UsageError(std::string(name) + ": model, gradients and state differ in structure",
                       where);
    }
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      const ir::Type& leaf = leaves[i].state()->type;
      const ir::Type& other = (*list)[i].state(where)->type;
      const bool alike = other.shape == leaf.shape && other.dtype == leaf.dtype;
      if (alike && is_floating(leaf.dtype)) continue;
      throw UsageError(std::string(name) + ": '" + detail::named_tensors_of(model)[i].first +
                           "' is " + leaf.text() + ", and its gradient or state " + other.text(),
                       where);
    }
  }
}

// Each leaf becomes f(leaf, its number).
template <class F>
void update_each(detail::TreeRef model, F&& f) {
  std::size_t i = 0;
  detail::walk_tree(model, [&](const std::string&, const detail::TreeLeaf& place) {
    if (place.is_tensor()) place.assign(f(place.as_tensor(), i++));
  });
}

}  // namespace

Sgd::State Sgd::init_leaves(const std::vector<Tensor>& leaves) const {
  State state;
  for (const Tensor& leaf : leaves) {
    if (momentum != 0) state.velocity.push_back(zeros_like(leaf));
  }
  return state;
}

void Sgd::update_leaves(detail::TreeRef model, const std::vector<Tensor>& gradients, State& state,
                        const Operand& rate) const {
  if (momentum == 0) {
    check_structure("Sgd", model, {&gradients}, rate.where());
  } else {
    check_structure("Sgd", model, {&gradients, &state.velocity}, rate.where());
  }
  update_each(model, [&](const Tensor& leaf, std::size_t i) {
    Tensor direction = weight_decay == 0 ? gradients[i] : gradients[i] + weight_decay * leaf;
    if (momentum != 0) {
      state.velocity[i] = momentum * state.velocity[i] + direction;
      direction = nesterov ? direction + momentum * state.velocity[i] : state.velocity[i];
    }
    return leaf - as_rate(rate, leaf) * direction;
  });
}

AdamW::State AdamW::init_leaves(const std::vector<Tensor>& leaves) {
  State state;
  for (const Tensor& leaf : leaves) {
    state.first.push_back(zeros_like(leaf));
    state.second.push_back(zeros_like(leaf));
  }
  state.steps = zero_steps(state.first);
  return state;
}

void AdamW::update_leaves(detail::TreeRef model, const std::vector<Tensor>& gradients, State& state,
                          const Operand& rate) const {
  check_structure("AdamW", model, {&gradients, &state.first, &state.second}, rate.where());
  for (Tensor& step : state.steps) step = step + 1.F;
  update_each(model, [&](const Tensor& leaf, std::size_t i) {
    return update_leaf(leaf, gradients[i], state.first[i], state.second[i],
                       step_of(leaf, state.steps), rate);
  });
}

std::vector<Tensor> AdamW::zero_steps(const std::vector<Tensor>& leaves) {
  std::vector<Tensor> steps;
  for (const Tensor& leaf : leaves) {
    const auto alike = [&](const Tensor& step) {
      return step.state()->type.replication == leaf.state()->type.replication;
    };
    if (std::ranges::none_of(steps, alike)) steps.push_back(sum(cast(leaf, DType::f32)));
  }
  return steps;
}

const Tensor& AdamW::step_of(const Tensor& leaf, const std::vector<Tensor>& steps) {
  const auto found = std::ranges::find_if(steps, [&](const Tensor& step) {
    return step.state()->type.replication == leaf.state()->type.replication;
  });
  return found == steps.end() ? steps.at(0) : *found;
}

Tensor AdamW::update_leaf(const Tensor& leaf, const Tensor& gradient, Tensor& first, Tensor& second,
                          const Tensor& step, const Operand& rate) const {
  first = beta1 * first + (1.F - beta1) * gradient;
  second = beta2 * second + (1.F - beta2) * (gradient * gradient);
  // The averages start at zero; divided by their weight they are unbiased.
  const Tensor first_weight = converted(1.F - pow(beta1, step), leaf.dtype());
  const Tensor second_weight = converted(1.F - pow(beta2, step), leaf.dtype());
  const Tensor direction = (first / first_weight) / (sqrt(second / second_weight) + epsilon);
  return leaf - as_rate(rate, leaf) * (direction + weight_decay * leaf);
}

Tensor global_norm(std::span<const Tensor> tensors, std::source_location at) {
  Tensor total;
  for (const Tensor& tensor : tensors) {
    const Tensor x = converted(Tensor(tensor.state(at)), DType::f32);
    const Tensor squares = sum(x * x);
    total = total.defined() ? total + squares : squares;
  }
  return total.defined() ? sqrt(total) : zeros({}, DType::f32, at);
}

Tensor detail::clip_factor(const Tensor& norm, const Operand& most) {
  check_scalar("clip_by_global_norm: the largest norm", most);
  const Tensor limit = most.is_tensor() ? cast(most, DType::f32) : most.tensor(DType::f32);
  // A norm of 0 leaves them as they are; one beyond all numbers, less itself, is no number.
  return select(norm <= limit, ones_like(norm), limit / norm + (norm - norm));
}

Tensor detail::scaled_by(const Tensor& tensor, const Tensor& factor) {
  if (!is_floating(tensor.dtype())) {
    throw TypeError(
        "clip_by_global_norm: gradients are floating-point, not " + tensor.state()->type.text(),
        tensor.state()->where);
  }
  return tensor * converted(factor, tensor.dtype());
}

namespace {

// Calls f(step) with the number as a double or the tensor as f32, and gives an f32 scalar. What is
// made of a number in C++ stays one, which is the same on all ranks.
template <class F>
Tensor of_step(const Operand& step, F&& f) {
  const Location where = step.where();
  if (step.is_tensor()) return f(Tensor(cast(step, DType::f32)));
  double number = 0;
  if (const auto* const given = std::get_if<Operand::Number>(&step.value())) number = given->value;
  if (const auto* const given = std::get_if<std::int64_t>(&step.value())) {
    number = static_cast<double>(*given);
  }
  if (const auto* const given = std::get_if<std::uint64_t>(&step.value())) {
    number = static_cast<double>(*given);
  }
  const Tensor rate = Operand(f(number)).tensor(DType::f32);
  return Tensor(rate.state(where));
}

void check_steps(std::int64_t steps, Location where) {
  if (steps >= 1) return;
  throw UsageError("a schedule takes at least one step, not " + std::to_string(steps), where);
}

// How much of `steps` is over, of [0, 1].
double share_of(double step, std::int64_t steps) {
  return std::clamp(step / static_cast<double>(steps), 0.0, 1.0);
}
Tensor share_of(const Tensor& step, std::int64_t steps) {
  return clamp(step / static_cast<float>(steps), 0.F, 1.F);
}

double along_cosine(double share) { return (1 - std::cos(share * std::numbers::pi)) / 2; }
Tensor along_cosine(const Tensor& share) {
  return (1.F - cos(share * std::numbers::pi_v<float>)) * 0.5F;
}

double between(double from, double to, double share) { return from + (to - from) * share; }
Tensor between(double from, double to, const Tensor& share) {
  return static_cast<float>(from) + static_cast<float>(to - from) * share;
}

double choose(bool first, double a, double b) { return first ? a : b; }
Tensor choose(const Tensor& first, const Tensor& a, const Tensor& b) { return select(first, a, b); }

}  // namespace

Tensor linear_schedule(const Operand& step, double from, double to, std::int64_t steps) {
  check_steps(steps, step.where());
  return of_step(step, [&](const auto& now) { return between(from, to, share_of(now, steps)); });
}

Tensor cosine_schedule(const Operand& step, double from, double to, std::int64_t steps) {
  check_steps(steps, step.where());
  return of_step(
      step, [&](const auto& now) { return between(from, to, along_cosine(share_of(now, steps))); });
}

Tensor warmup_cosine_schedule(const Operand& step, double peak, std::int64_t warmup,
                              std::int64_t total, double end) {
  if (warmup < 0 || total <= warmup) {
    throw UsageError("warmup_cosine_schedule: " + std::to_string(warmup) +
                         " steps of warmup should be fewer than all " + std::to_string(total),
                     step.where());
  }
  return of_step(step, [&](const auto& now) {
    const auto begin = static_cast<float>(warmup);
    const auto late = between(peak, end, along_cosine(share_of(now - begin, total - warmup)));
    const auto early = between(0, peak, share_of(now, std::max<std::int64_t>(1, warmup)));
    return choose(now < begin, early, late);
  });
}

}  // namespace tutti
