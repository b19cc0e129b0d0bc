// TypeError: exp: takes floating-point numbers, not i32; cast it first
#include "tests/errors/mistake.h"

TUTTI_MISTAKE {
  const Tensor x = tensor({1, 2, 3});
  exp(x);  // here
}
