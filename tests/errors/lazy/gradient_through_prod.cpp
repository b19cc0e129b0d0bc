// TypeError: prod has no gradient
#include "tests/errors/mistake.h"

TUTTI_MISTAKE {
  const auto loss = [](const Tensor& x) {
    return prod(x);  // here
  };
  grad(loss)(tensor({1.F, 2.F}));
}
