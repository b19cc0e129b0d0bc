// TypeError: bitcast has no gradient
#include "tests/errors/mistake.h"

TUTTI_MISTAKE {
  const auto loss = [](const Tensor& x) {
    return sum(bitcast(x, DType::f32));  // here
  };
  grad(loss)(tensor({1.F, 2.F}));
}
