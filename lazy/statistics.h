#pragma once

#include <tutti/lazy/ops.h>

#include <concepts>

// Statistics over axes, as sum() takes them: all without a list. They compute in f32 (f64 of f64)
// and round once.
namespace tutti {

// The mean of the squared distances from the mean, over n - correction elements: 1, as PyTorch has
// it, is for samples, 0, as NumPy has it, for all there is. Where n - correction is not above 0 it
// is, as theirs, infinite, or NaN of equal elements (one, say) and of none. Floating point.
Tensor var(const Operand& x, Axes axes = {}, Integer correction = 1, bool keepdims = false);
// Its square root, the standard deviation; `std` is taken in C++. Its gradient is 0 where it is 0.
Tensor stddev(const Operand& x, Axes axes = {}, Integer correction = 1, bool keepdims = false);

// A number, but no flag: norm(x, axes, true) does not compile.
struct NormOrder {
  template <class T>
    requires(WholeNumber<T> || std::floating_point<T>)
  constexpr NormOrder(T number)  // NOLINT(google-explicit-constructor)
      : value(static_cast<double>(number)) {}
  double value;
};
// The length of vectors: (sum |x|^order)^(1 / order); of order infinity the largest |x|, of 0 how
// many are not 0. Floating point. The gradient is 0 where the vector is. The powers are added as
// they are, as the other packages do: of f32 beyond 1e19 or below 1e-22 squares leave the range.
Tensor norm(const Operand& x, Axes axes = {}, NormOrder order = 2, bool keepdims = false);

}  // namespace tutti
