// TypeError: matmul: the inner sizes differ: 3 columns and 2 rows; the operands are f32\[2,3\] and f32\[2,3\]
#include "tests/errors/mistake.h"

TUTTI_MISTAKE {
  const Tensor weight = zeros({2, 3});
  matmul(weight, weight);  // here
}
