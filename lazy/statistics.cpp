#include <tutti/lazy/axes.h>
#include <tutti/lazy/composite.h>
#include <tutti/lazy/known_number.h>
#include <tutti/lazy/root.h>
#include <tutti/lazy/statistics.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace tutti {

using detail::composite;
using detail::root;

namespace {

// Intermediate results, in f32 or wider.
class Steps {
 public:
  explicit Steps(const Operand& x) : dtype_(x.dtype()) {
    if (is_floating(dtype_)) return;
    throw TypeError("takes floating-point numbers, not " + std::string(name_of(dtype_)) +
                    "; cast them first");
  }
  Tensor wide(const Operand& x) const {
    return is_narrow_floating(dtype_) ? cast(x, DType::f32) : x.tensor();
  }
  Tensor rounded(const Tensor& x) const { return x.dtype() == dtype_ ? x : cast(x, dtype_); }

 private:
  const DType dtype_;
};

Tensor variance(const Steps& steps, const Operand& x, const Axes& axes, Integer correction,
                bool keepdims) {
  const Tensor wide = steps.wide(x);
  const auto normal = detail::normal_axes("var", axes, wide.rank(), x.where());
  std::int64_t count = 1;
  for (const std::int64_t axis : normal) count *= wide.shape()[static_cast<int>(axis)];
  const Tensor distance = sub(wide, mean(wide, normal, true));
  const Tensor total = sum(mul(distance, distance), normal, keepdims);
  // As the other packages: of too few elements it is infinite or no number.
  return div(total,
             std::max(0.0, static_cast<double>(count) - static_cast<double>(correction.value)));
}

}  // namespace

Tensor var(const Operand& x, Axes axes, Integer correction, bool keepdims) {
  return composite("var", x.where(), [&] {
    const Steps steps(x);
    return steps.rounded(variance(steps, x, axes, correction, keepdims));
  });
}

Tensor stddev(const Operand& x, Axes axes, Integer correction, bool keepdims) {
  return composite("stddev", x.where(), [&] {
    const Steps steps(x);
    const Tensor square = variance(steps, x, axes, correction, keepdims);
    return steps.rounded(root(square, [&](const Operand& y) { return sqrt(y); }));
  });
}

Tensor norm(const Operand& x, Axes axes, NormOrder number, bool keepdims) {
  const double order = number.value;
  return composite("norm", x.where(), [&] {
    const Steps steps(x);
    const Tensor wide = steps.wide(x);
    const Tensor size = abs(wide);
    if (std::isnan(order) || order < 0) {
      throw UsageError("an order of " + detail::number_text(order) + "; 0 and above are");
    }
    if (std::isinf(order)) return steps.rounded(max(size, axes, keepdims));
    if (order == 0) {
      return steps.rounded(sum(cast(ne(wide, 0), wide.dtype()), axes, keepdims));
    }
    if (order == 1) return steps.rounded(sum(size, axes, keepdims));
    if (order != 2) {
      // Below 1 a power has no derivative at 0.
      const Tensor none = eq(size, 0);
      const Tensor powers = pow(select(none, ones_like(size), size), order);
      const Tensor total = sum(select(none, zeros_like(size), powers), axes, keepdims);
      return steps.rounded(root(total, [&](const Operand& y) { return pow(y, 1 / order); }));
    }
    const Tensor total = sum(mul(wide, wide), axes, keepdims);
    return steps.rounded(root(total, [&](const Operand& y) { return sqrt(y); }));
  });
}

}  // namespace tutti
