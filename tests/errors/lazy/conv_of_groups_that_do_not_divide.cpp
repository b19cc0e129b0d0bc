// TypeError: conv: groups = 2 does not divide the 3 channels of x and the 4 of the result; the operands are f32\[1,3,6\] and f32\[4,1,3\]
#include "tests/errors/mistake.h"

TUTTI_MISTAKE {
  conv(zeros({1, 3, 6}), zeros({4, 1, 3}), {.groups = 2});  // here
}
