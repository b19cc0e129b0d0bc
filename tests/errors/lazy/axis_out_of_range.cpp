// TypeError: sum: axis 2 of f32\[2,3\]
#include "tests/errors/mistake.h"

TUTTI_MISTAKE {
  const Tensor x = zeros({2, 3});
  sum(x, {2});  // here
}
