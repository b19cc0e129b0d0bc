#include <tutti/ir/names.h>
#include <tutti/lazy/composite.h>
#include <tutti/lazy/context.h>
#include <tutti/lazy/create.h>
#include <tutti/lazy/device.h>
#include <tutti/lazy/known_number.h>
#include <tutti/lazy/optim.h>
#include <tutti/lazy/root.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>

namespace tutti {

using detail::composite;
using detail::RankContext;

namespace {

Tensor converted(const Tensor& x, DType dtype) { return x.dtype() == dtype ? x : cast(x, dtype); }

// What narrow floats, whose squares soon are infinite, are computed in and rounded once, at the
// end.
DType dtype_of_steps(DType own) { return is_narrow_floating(own) ? DType::f32 : own; }

void check_rate(const Operand& rate) {
  detail::check_scalar("the rate of a step", rate);
  detail::check_finite_number("the rate of a step", rate);
}

// Whether it is a C++ number, as a schedule of one gives, which lies nowhere yet.
bool lies_anywhere(const Tensor& x) {
  const detail::TensorState& state = *x.state();
  return state.trace != nullptr && state.trace->is_number(state.value);
}

// A rate or limit as it meets x: one that a schedule gave is f32, and it is one for all leaves,
// wherever they lie.
Operand as_scalar_of(const Tensor& x, const Operand& given) {
  if (!given.is_tensor()) return given;
  const Tensor scalar = given.tensor();
  if (scalar.dtype() == x.dtype() && lies_anywhere(scalar)) return given;
  return {detail::placed(converted(scalar, x.dtype()), x), given.where()};
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

// Of the mesh dimensions over which a leaf is the same, those over which what goes into it is not
// known to be.
std::string where_it_may_differ(const Tensor& leaf, const Tensor& other) {
  const ir::Replication from = other.state()->type.replication;
  const int missing = leaf.state()->type.replication.dimensions & ~from.dimensions;
  if (from.literal || missing == 0) return {};
  const auto& mesh = RankContext::current().trace().graph().mesh;
  if (mesh == nullptr) return {};
  std::uint8_t dimensions = 0;
  for (std::size_t d = 0; d < mesh->sizes.size(); ++d) {
    const bool several = mesh->sizes[d] > 1 && (missing >> d & 1) != 0;
    if (several) dimensions = static_cast<std::uint8_t>(dimensions | 1U << d);
  }
  return ir::dimension_names(*mesh, dimensions, " and ");
}

// The step would make the leaf another one on each rank, without a word.
[[noreturn]] void refuse_difference(detail::TreeRef model, std::size_t leaf,
                                    const std::string& what, const std::string& dimensions) {
  throw UsageError(name_of_leaf(model, leaf) + " is the same on the ranks of " + dimensions +
                   ", and " + what +
                   " may differ there; all_reduce() makes it the same, and replicated() says that "
                   "it is");
}

// Distributed tensors and their gradients lie alike.
void check_placements(detail::TreeRef model, detail::TreeRef grads) {
  const auto differs = detail::different_texts(model, grads);
  if (!differs) return;
  throw UsageError(detail::quoted_path(differs->first.path, "the model") + " is " +
                   differs->first.text + ", and its gradient " + differs->second.text +
                   "; redistribute() the gradient");
}

// The model's leaves are as many as there are in each of the lists, of the same types, and the same
// on no more ranks than what goes into them.
void check_structure(detail::TreeRef model, std::initializer_list<Companion> companions,
                     const Operand& rate) {
  const std::vector<Tensor> leaves = parameters_of(model, rate.where());
  for (std::size_t i = 0; rate.is_tensor() && i < leaves.size(); ++i) {
    const std::string dimensions = where_it_may_differ(leaves[i], rate.tensor());
    if (!dimensions.empty()) refuse_difference(model, i, "the rate", dimensions);
  }
  for (const auto& [what, tensors] : companions) {
    if (tensors->size() != leaves.size()) {
      throw UsageError("model, gradients and state differ in structure: the model has " +
                       ir::counted(leaves.size(), "tensor") + ", and there are " +
                       std::to_string(tensors->size()) + " " + what + "s");
    }
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      const ir::Type& leaf = leaves[i].state()->type;
      const ir::Type& other = (*tensors)[i].state()->type;
      if (other.shape != leaf.shape || other.dtype != leaf.dtype) {
        throw UsageError(name_of_leaf(model, i) + " is " + leaf.text() + ", and its " + what + " " +
                         other.text());
      }
      const std::string dimensions = where_it_may_differ(leaves[i], (*tensors)[i]);
      if (!dimensions.empty()) {
        refuse_difference(model, i, std::string("its ") + what, dimensions);
      }
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
    check_rate(rate);
    const std::vector<Tensor> gradients = detail::tensors_of(grads, rate.where());
    check_placements(model, grads);
    if (momentum == 0) {
      check_structure(model, {{"gradient", &gradients}}, rate);
    } else {
      check_structure(model, {{"gradient", &gradients}, {"velocity tensor", &state.velocity}},
                      rate);
    }
    update_each(model, [&](const Tensor& leaf, std::size_t i) {
      const DType dtype = dtype_of_steps(leaf.dtype());
      const Tensor x = converted(leaf, dtype);
      Tensor direction = converted(gradients[i], dtype);
      if (weight_decay != 0) direction = direction + weight_decay * x;
      if (momentum != 0) {
        const Tensor velocity = momentum * converted(state.velocity[i], dtype) + direction;
        direction = nesterov ? direction + momentum * velocity : velocity;
        state.velocity[i] = converted(velocity, leaf.dtype());
      }
      return converted(x - as_scalar_of(x, rate) * direction, leaf.dtype());
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
    check_rate(rate);
    const std::vector<Tensor> gradients = detail::tensors_of(grads, rate.where());
    check_placements(model, grads);
    check_structure(model,
                    {{"gradient", &gradients},
                     {"first average", &state.first},
                     {"second average", &state.second}},
                    rate);
    if (state.steps.empty() && !gradients.empty()) {
      throw UsageError("the state counts no steps; it comes from init() or update()");
    }
    for (Tensor& step : state.steps) step = step + 1.F;
    update_each(model, [&](const Tensor& leaf, std::size_t i) {
      const Tensor step = step_of(leaf, state.steps);
      const std::string dimensions = where_it_may_differ(leaf, step);
      if (!dimensions.empty()) refuse_difference(model, i, "the number of its steps", dimensions);
      return update_leaf(leaf, gradients[i], state.first[i], state.second[i], step, rate);
    });
  });
}

namespace {

bool are_replicated_alike(const Tensor& x, const Tensor& y) {
  return x.state()->type.replication == y.state()->type.replication;
}

// 1 - beta^count: what moving averages that start at zero weigh together. Without a difference of
// two numbers near 1, which would have few digits.
Tensor weight_after(const Tensor& count, float beta) {
  if (beta == 0) return ones_like(count);
  return neg(expm1(count * std::log(static_cast<double>(beta))));
}

}  // namespace

std::vector<Tensor> AdamW::zero_steps(const std::vector<Tensor>& leaves) {
  std::vector<Tensor> steps;
  for (const Tensor& leaf : leaves) {
    const auto counts_for_it = [&](const Tensor& step) {
      return are_replicated_alike(step, leaf) && step.device() == leaf.device();
    };
    if (std::ranges::none_of(steps, counts_for_it)) steps.push_back(sum(cast(leaf, DType::f32)));
  }
  return steps;
}

Tensor AdamW::step_of(const Tensor& leaf, const std::vector<Tensor>& steps) {
  const auto alike = [&](const Tensor& step) { return are_replicated_alike(step, leaf); };
  const auto there = [&](const Tensor& step) {
    return alike(step) && step.device() == leaf.device();
  };
  auto found = std::ranges::find_if(steps, there);
  if (found == steps.end()) found = std::ranges::find_if(steps, alike);
  return detail::placed(found == steps.end() ? steps.at(0) : *found, leaf);
}

Tensor AdamW::update_leaf(const Tensor& leaf, const Tensor& gradient, Tensor& first, Tensor& second,
                          const Tensor& step, const Operand& rate) const {
  const DType own = leaf.dtype();
  const DType dtype = dtype_of_steps(own);
  const Tensor x = converted(leaf, dtype);
  const Tensor slope = converted(gradient, dtype);
  const Tensor mean = beta1 * converted(first, dtype) + (1.F - beta1) * slope;
  const Tensor square = beta2 * converted(second, dtype) + (1.F - beta2) * (slope * slope);
  // The averages start at zero; divided by their weight they are unbiased.
  const Tensor count = converted(step, dtype);
  const Tensor unbiased = mean / weight_after(count, beta1);
  const Tensor direction = unbiased / (sqrt(square / weight_after(count, beta2)) + epsilon);
  first = converted(mean, own);
  second = converted(square, own);
  return converted(x - as_scalar_of(x, rate) * (direction + weight_decay * x), own);
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
  const Operand limit = as_scalar_of(norm, most);
  // A norm of 0 leaves them as they are; one beyond all numbers, less itself, is no number.
  const Tensor within = logical_and(norm <= limit, is_finite(norm));  // also of an infinite limit
  const Tensor large = select(within, ones_like(norm), norm);
  return select(within, ones_like(norm), limit / large + (large - large));
}

Tensor detail::scaled_by(const Tensor& tensor, const Tensor& factor) {
  // A factor may be too small for a narrow float.
  const DType dtype = dtype_of_steps(tensor.dtype());
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
  const DType dtype = dtype_of_steps(model.dtype());
  const Tensor next = decay * converted(average, dtype) + (1.F - decay) * converted(model, dtype);
  return converted(next, model.dtype());
}

}  // namespace tutti
