// TypeError: attention: shapes \[6,5\] and \[5,6\] do not broadcast
#include "tests/errors/mistake.h"

TUTTI_MISTAKE {
  const Tensor mask = zeros({6, 5}, DType::boolean);
  attention(zeros({5, 2}), zeros({6, 2}), zeros({6, 2}), mask);  // here
}
