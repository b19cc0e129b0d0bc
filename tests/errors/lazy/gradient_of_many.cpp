// TypeError: the gradient is taken of a floating-point scalar, not of f32\[2\]
#include "tests/errors/mistake.h"

TUTTI_MISTAKE {
  const auto loss = [](const Tensor& x) { return x * x; };  // no sum
  const Tensor x = tensor({1.F, 2.F});
  grad(loss)(x);  // here
}
