// TypeError: the number 2\.5\d* meets a tensor of i32, which holds no fractions; cast the tensor
#include "tests/errors/mistake.h"

TUTTI_MISTAKE {
  const Tensor count = tensor({1, 2, 3});
  count * 2.5;  // here
}
