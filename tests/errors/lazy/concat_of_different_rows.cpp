// TypeError: concat: the operands differ in dimension 1
#include "tests/errors/mistake.h"

TUTTI_MISTAKE {
  const std::vector<Tensor> parts = {zeros({2, 3}), zeros({2, 4})};
  concat(parts);  // here
}
