// TypeError: take: indices must be integers
#include "tests/errors/mistake.h"

TUTTI_MISTAKE {
  const Tensor table = zeros({10, 4});
  const Tensor tokens = zeros({3});
  take(table, tokens);  // here
}
