// UsageError: a tensor is read \(or a compiled function called\) inside a function that is being differentiated; return the value and read it outside
#include "tests/errors/mistake.h"

TUTTI_MISTAKE {
  const auto loss = [](const Tensor& x) {
    const Tensor y = sum(x * x);  // here
    y.item<float>();
    return y;
  };
  grad(loss)(tensor({1.F, 2.F}));
}
