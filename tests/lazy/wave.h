#pragma once

#include "tests/lazy/lazy_testing.h"

// Numbers for layers that are held against PyTorch's, which has the same ones: the sine of 1.7
// times the place, in f64 and rounded.
namespace tutti::test {

inline Tensor wave(const Shape& shape, DType dtype = DType::f32) {
  const Tensor angle = cast(arange(shape.elements()), DType::f64) * 1.7;
  return reshape(cast(sin(angle), dtype), std::vector(shape.begin(), shape.end()));
}

inline void expect_close(const Tensor& tensor, const Floats& expected, float tolerance = 3e-6F) {
  EXPECT_THAT(tensor.to_vector<float>(),
              testing::Pointwise(testing::FloatNear(tolerance), expected));
}

// The gradient of f at x, weighted by a wave.
template <class F, class... Rest>
Tensor wave_gradient(F f, const Tensor& x, const Rest&... rest) {
  return grad([&](const Tensor& y, const auto&... others) -> Tensor {
    const Tensor result = f(y, others...);
    return sum(result * wave(result.shape()));
  })(x, rest...);
}

}  // namespace tutti::test
