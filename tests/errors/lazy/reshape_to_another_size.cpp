// TypeError: reshape: shape \[4,2\] has 8 elements, the operand 6
#include "tests/errors/mistake.h"

TUTTI_MISTAKE {
  const Tensor x = zeros({2, 3});
  reshape(x, {4, 2});  // here
}
