// TypeError: no derivative with respect to i32\[2\]: it is not floating-point
#include "tests/errors/mistake.h"

TUTTI_MISTAKE {
  const auto loss = [](const Tensor& x) { return sum(cast(x, DType::f32)); };
  const Tensor x = tensor({1, 2});
  grad(loss)(x);  // here
}
