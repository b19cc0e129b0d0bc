// TypeError: cross_entropy: labels must be integers; the operands are f32\[4,10\] and f32\[4\]
#include "tests/errors/mistake.h"

TUTTI_MISTAKE {
  cross_entropy(zeros({4, 10}), zeros({4}));  // here
}
