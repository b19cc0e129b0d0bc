// TypeError: conv: the weight reaches over 5 elements of dimension 3, which has 4 with its padding; the operands are f32\[1,2,6,4\] and f32\[3,2,3,3\]
#include "tests/errors/mistake.h"

TUTTI_MISTAKE {
  const Tensor x = zeros({1, 2, 6, 4});
  conv(x, zeros({3, 2, 3, 3}), {.dilation = {2}});  // here
}
