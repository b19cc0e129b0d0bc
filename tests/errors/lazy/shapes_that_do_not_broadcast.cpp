// TypeError: add: shapes \[2,3\] and \[4\] do not broadcast: dimension 1 is 3 and 4; the operands are f32\[2,3\] and f32\[4\]
#include "tests/errors/mistake.h"

TUTTI_MISTAKE {
  const Tensor x = zeros({2, 3});
  const Tensor y = zeros({4});
  x + y;  // here
}
