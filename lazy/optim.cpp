#include <tutti/ir/names.h>
#include <tutti/lazy/composite.h>
#include <tutti/lazy/create.h>
#include <tutti/lazy/known_number.h>
#include <tutti/lazy/optim.h>
#include <tutti/lazy/root.h>
#include <tutti/lazy/tensor_state.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <numbers>
#include <string>
#include <variant>

namespace tutti {

using detail::composite;

namespace {

Tensor converted(const Tensor& x, DType dtype) { return x.dtype() == dtype ? x : cast(x, dtype); }

void check_scalar(const char* what, const Operand& given) {
  if (!given.is_tensor() || given.tensor().rank() == 0) return;
  throw TypeError(std::string(what) + " is a number or a scalar, not " +
                  given.tensor().state()->type.text());
}

void check_finite_number(const char* what, const Operand& given) {
  const std::optional<double> number = detail::known_number(given);
  if (!number || std::isfinite(*number)) return;
  throw UsageError(std::string(what) + " is " + detail::number_text(*number) +
                   "; it should be finite");
}

// A rate that a schedule gave is f32.
Operand as_rate(const Operand& rate, const Tensor& leaf) {
  check_scalar("the rate of a step", rate);
  check_finite_number("the rate of a step", rate);
  if (!rate.is_tensor() || rate.dtype() == leaf.dtype()) return rate;
  return {cast(rate, leaf.dtype()), rate.where()};
}

// A share that a moving average keeps.
void check_share(const char* name, float share) {
  if (share >= 0 && share < 1) return;
  throw UsageError(std::string(name) + " is " + std::to_string(share) +
                   "; at least 0 and below 1 is right");
}

// What a leaf is called; a model that is one tensor has no names.
std::string name_of_leaf(detail::TreeRef model, std::size_t leaf) {
  const std::string path = detail::named_tensors_of(model)[leaf].first;
  return path.empty() ? "the model" : "'" + path + "'";
}

// The model's leaves, all of them floating-point.
std::vector<Tensor> parameters_of(detail::TreeRef model, Location where) {
  std::vector<Tensor> leaves = detail::tensors_of(model, where);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (is_floating(leaves[i].dtype())) continue;
    throw UsageError(name_of_leaf(model, i) + " is " + leaves[i].state()->type.text() +
                     ", and only floating-point tensors are trained: keep others, such as "
                     "counters, apart from the model");
  }
  return leaves;
}

struct Companion {
  const char* what;  // "gradient"
  const std::vector<Tensor>* tensors;
};

// Distributed tensors and their gradients lie alike.
void check_placements(detail::TreeRef model, detail::TreeRef grads) {
  const auto differs = detail::different_texts(model, grads);
  if (!differs) return;
  throw UsageError(detail::quoted_path(differs->first.path, "the model") + " is " +
                   differs->first.text + ", and its gradient " + differs->second.text +
                   "; redistribute() the gradient");
}

// The model's leaves are as many as there are in each of the lists, and of the same types.
void check_structure(detail::TreeRef model, std::initializer_list<Companion> companions,
                     Location where) {
  const std::vector<Tensor> leaves = parameters_of(model, where);
  for (const auto& [what, tensors] : companions) {
    if (tensors->size() != leaves.size()) {
      throw UsageError("model, gradients and state differ in structure: the model has " +
                       ir::counted(leaves.size(), "tensor") + ", and there are " +
                       std::to_string(tensors->size()) + " " + what + "s");
    }
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      const ir::Type& leaf = leaves[i].state()->type;
      const ir::Type& other = (*tensors)[i].state()->type;
      if (other.shape == leaf.shape && other.dtype == leaf.dtype) continue;
      throw UsageError(name_of_leaf(model, i) + " is " + leaf.text() + ", and its " + what + " " +
                       other.text());
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

void Sgd::check() const {
  if (!(momentum >= 0) || std::isinf(momentum)) {
    throw UsageError("momentum is " + std::to_string(momentum) + "; 0 and above are right");
  }
  if (!std::isfinite(weight_decay)) throw UsageError("weight_decay should be finite");
  if (nesterov && momentum == 0) throw UsageError("nesterov looks ahead by a momentum above 0");
}

Sgd::State Sgd::init_leaves(detail::TreeRef model, Location where) const {
  return composite("Sgd", where, [&] {
    check();
    State state;
    for (const Tensor& leaf : parameters_of(model, where)) {
      if (momentum != 0) state.velocity.push_back(zeros_like(leaf));
    }
    return state;
  });
}

void Sgd::update_leaves(detail::TreeRef model, detail::TreeRef grads, State& state,
                        const Operand& rate) const {
  composite("Sgd", rate.where(), [&] {
    check();
    const std::vector<Tensor> gradients = detail::tensors_of(grads, rate.where());
    check_placements(model, grads);
    if (momentum == 0) {
      check_structure(model, {{"gradient", &gradients}}, rate.where());
    } else {
      check_structure(model, {{"gradient", &gradients}, {"velocity tensor", &state.velocity}},
                      rate.where());
    }
    update_each(model, [&](const Tensor& leaf, std::size_t i) {
      Tensor direction = weight_decay == 0 ? gradients[i] : gradients[i] + weight_decay * leaf;
      if (momentum != 0) {
        state.velocity[i] = momentum * state.velocity[i] + direction;
        direction = nesterov ? direction + momentum * state.velocity[i] : state.velocity[i];
      }
      return leaf - as_rate(rate, leaf) * direction;
    });
  });
}

void AdamW::check() const {
  check_share("beta1", beta1);
  check_share("beta2", beta2);
  if (!(epsilon >= 0) || std::isinf(epsilon)) {
    throw UsageError("epsilon is " + std::to_string(epsilon) + "; 0 and above are right");
  }
  if (!std::isfinite(weight_decay)) throw UsageError("weight_decay should be finite");
}

AdamW::State AdamW::init_leaves(detail::TreeRef model, Location where) const {
  return composite("AdamW", where, [&] {
    check();
    State state;
    for (const Tensor& leaf : parameters_of(model, where)) {
      state.first.push_back(zeros_like(leaf));
      state.second.push_back(zeros_like(leaf));
    }
    state.steps = zero_steps(state.first);
    return state;
  });
}

void AdamW::update_leaves(detail::TreeRef model, detail::TreeRef grads, State& state,
                          const Operand& rate) const {
  composite("AdamW", rate.where(), [&] {
    check();
    const std::vector<Tensor> gradients = detail::tensors_of(grads, rate.where());
    check_placements(model, grads);
    check_structure(model,
                    {{"gradient", &gradients},
                     {"first average", &state.first},
                     {"second average", &state.second}},
                    rate.where());
    if (state.steps.empty() && !gradients.empty()) {
      throw UsageError("the state counts no steps; it comes from init() or update()");
    }
    for (Tensor& step : state.steps) step = step + 1.F;
    update_each(model, [&](const Tensor& leaf, std::size_t i) {
      return update_leaf(leaf, gradients[i], state.first[i], state.second[i],
                         step_of(leaf, state.steps), rate);
    });
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
  // Narrow floats, whose squares soon are infinite, are rounded once, at the end.
  const DType own = leaf.dtype();
  const DType dtype = is_narrow_floating(own) ? DType::f32 : own;
  const Tensor x = converted(leaf, dtype);
  const Tensor slope = converted(gradient, dtype);
  const Tensor mean = beta1 * converted(first, dtype) + (1.F - beta1) * slope;
  const Tensor square = beta2 * converted(second, dtype) + (1.F - beta2) * (slope * slope);
  // The averages start at zero; divided by their weight they are unbiased.
  const Tensor first_weight = converted(1.F - pow(beta1, step), dtype);
  const Tensor second_weight = converted(1.F - pow(beta2, step), dtype);
  const Tensor direction = (mean / first_weight) / (sqrt(square / second_weight) + epsilon);
  first = converted(mean, own);
  second = converted(square, own);
  return converted(x - as_rate(rate, x) * (direction + weight_decay * x), own);
}

Tensor global_norm(std::span<const Tensor> tensors, std::source_location at) {
  return composite("global_norm", at, [&] {
    DType wide = DType::f32;
    for (const Tensor& tensor : tensors) {
      if (!is_floating(tensor.dtype())) {
        throw TypeError("takes floating-point tensors, not " + tensor.state()->type.text());
      }
      if (tensor.dtype() == DType::f64) wide = DType::f64;
    }
    Tensor total;
    for (const Tensor& tensor : tensors) {
      const Tensor x = converted(tensor, wide);
      const Tensor squares = sum(x * x);
      total = total.defined() ? total + squares : squares;
    }
    if (!total.defined()) return zeros({});
    return detail::root(total, [](const Operand& y) { return sqrt(y); });
  });
}

void detail::check_clipped(detail::TreeRef gradients, const Operand& most) {
  check_scalar("the largest norm", most);
  if (const auto number = known_number(most); number && !(*number >= 0)) {
    throw UsageError("the largest norm is " + number_text(*number) + "; 0 and above are right");
  }
  const std::vector<Tensor> leaves = tensors_of(gradients, most.where());
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (is_floating(leaves[i].dtype())) continue;
    const std::string path = named_tensors_of(gradients)[i].first;
    throw TypeError((path.empty() ? "" : "'" + path + "': ") +
                    "gradients are floating-point, not " + leaves[i].state()->type.text());
  }
}

Tensor detail::clip_factor(const Tensor& norm, const Operand& most) {
  const DType dtype = norm.dtype();
  const Tensor limit = most.is_tensor() ? cast(most, dtype) : most.tensor(dtype);
  // A norm of 0 leaves them as they are; one beyond all numbers, less itself, is no number.
  const Tensor within = norm <= limit;
  const Tensor large = select(within, ones_like(norm), norm);
  return select(within, ones_like(norm), limit / large + (large - large));
}

Tensor detail::scaled_by(const Tensor& tensor, const Tensor& factor) {
  // A factor may be too small for a narrow float.
  const DType dtype = is_narrow_floating(tensor.dtype()) ? DType::f32 : tensor.dtype();
  return converted(converted(tensor, dtype) * converted(factor, dtype), tensor.dtype());
}

Tensor detail::averaged(const Tensor& average, const Tensor& model, float decay) {
  if (!(decay >= 0 && decay <= 1)) {
    throw UsageError("decay is " + std::to_string(decay) + "; 0 to 1 are right");
  }
  if (average.shape() != model.shape() || average.dtype() != model.dtype()) {
    throw TypeError("the average is " + average.state()->type.text() + ", and the model " +
                    model.state()->type.text());
  }
  return decay * average + (1.F - decay) * model;
}

namespace {

// Calls f(step) with the number as a double or the tensor as f32, and gives an f32 scalar. What is
// made of a number in C++ stays one, which is the same on all ranks.
template <class F>
Tensor of_step(const Operand& step, F&& f) {
  check_scalar("the step", step);
  check_finite_number("the step", step);
  if (step.is_tensor()) return f(Tensor(cast(step, DType::f32)));
  double number = 0;
  if (const auto* const given = std::get_if<Operand::Number>(&step.value())) number = given->value;
  if (const auto* const given = std::get_if<std::int64_t>(&step.value())) {
    number = static_cast<double>(*given);
  }
  if (const auto* const given = std::get_if<std::uint64_t>(&step.value())) {
    number = static_cast<double>(*given);
  }
  return Operand(f(number)).tensor(DType::f32);
}

void check_steps(std::int64_t steps) {
  if (steps >= 1) return;
  throw UsageError("at least one step, not " + std::to_string(steps));
}

void check_rates(double one, double other) {
  check_finite_number("a rate", one);
  check_finite_number("a rate", other);
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
  return composite("linear_schedule", step.where(), [&] {
    check_steps(steps);
    check_rates(from, to);
    return of_step(step, [&](const auto& now) { return between(from, to, share_of(now, steps)); });
  });
}

Tensor cosine_schedule(const Operand& step, double from, double to, std::int64_t steps) {
  return composite("cosine_schedule", step.where(), [&] {
    check_steps(steps);
    check_rates(from, to);
    return of_step(step, [&](const auto& now) {
      return between(from, to, along_cosine(share_of(now, steps)));
    });
  });
}

Tensor warmup_cosine_schedule(const Operand& step, double peak, std::int64_t warmup,
                              std::int64_t total, double end) {
  return composite("warmup_cosine_schedule", step.where(), [&] {
    check_rates(peak, end);
    if (warmup < 0 || total <= warmup) {
      throw UsageError(std::to_string(warmup) + " steps of warmup should be fewer than all " +
                       std::to_string(total));
    }
    return of_step(step, [&](const auto& now) {
      const auto begin = static_cast<float>(warmup);
      const auto late = between(peak, end, along_cosine(share_of(now - begin, total - warmup)));
      const auto early = between(0, peak, share_of(now, std::max<std::int64_t>(1, warmup)));
      return choose(now < begin, early, late);
    });
  });
}

}  // namespace tutti
