#include <tutti/lazy/optim.h>
#include <tutti/lazy/tensor_state.h>

#include <algorithm>

namespace tutti {

namespace {

Tensor converted(const Tensor& x, DType dtype) { return x.dtype() == dtype ? x : cast(x, dtype); }

}  // namespace

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
  std::size_t leaves = 0;
  detail::walk_tree(model, [&](const std::string&, const detail::TreeLeaf& leaf) {
    if (leaf.is_tensor()) ++leaves;
  });
  if (gradients.size() != leaves || state.first.size() != leaves || state.second.size() != leaves) {
    throw UsageError("AdamW: model, gradients and state differ in structure", rate.where());
  }
  for (Tensor& step : state.steps) step = step + 1.F;
  std::size_t i = 0;
  detail::walk_tree(model, [&](const std::string&, const detail::TreeLeaf& place) {
    if (!place.is_tensor()) return;
    const Tensor leaf = place.as_tensor();
    const Tensor& step = step_of(leaf, state.steps);
    place.assign(update_leaf(leaf, gradients[i], state.first[i], state.second[i], step, rate));
    ++i;
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
  return leaf - rate * (direction + weight_decay * leaf);
}

}  // namespace tutti
