// TypeError: sum: axis 2 of a tensor of rank 2
#include "tests/errors/mistake.h"

TUTTI_MISTAKE {
  const Tensor x = zeros({2, 3});
  sum(x, {2});  // here
}
