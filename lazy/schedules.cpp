#include <tutti/lazy/composite.h>
#include <tutti/lazy/known_number.h>
#include <tutti/lazy/optim.h>
#include <tutti/lazy/redistribute.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>

// Rates by step.
namespace tutti {

using detail::check_finite_number;
using detail::composite;

namespace {

// Calls f(step) with the number as a double or the tensor as f32, and gives an f32 scalar. What is
// made of a number in C++ stays one, which is the same on all ranks.
template <class F>
Tensor of_step(const Operand& step, F&& f) {
  detail::check_scalar("the step", step);
  check_finite_number("the step", step);
  if (step.is_tensor()) return f(Tensor(cast(step, DType::f32)));
  if (const auto number = detail::known_number(step)) return Operand(f(*number)).tensor(DType::f32);
  // An argument of the function that is being compiled, which counts as the same on all ranks here:
  // or what is computed of it alone would vary, and so what it is the rate of.
  return f(detail::vary(step.tensor(DType::f32), 0, step.where()));
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

// Exactly `to` at its end, however small it is beside `from`.
double between(double from, double to, double share) { return from * (1 - share) + to * share; }
Tensor between(double from, double to, const Tensor& share) {
  return static_cast<float>(from) * (1.F - share) + static_cast<float>(to) * share;
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
