// TypeError: mul: mixed dtypes f32 and f64; cast one of them
#include "tests/errors/mistake.h"

TUTTI_MISTAKE {
  const Tensor x = zeros({2});
  const Tensor y = zeros({2}, DType::f64);
  x* y;  // here
}
