// TypeError: split: sizes that are not negative and add up to the 10 elements of axis 0 are needed
#include "tests/errors/mistake.h"

TUTTI_MISTAKE {
  const Tensor rows = zeros({10, 4});
  split(rows, {5, 4});  // here
}
