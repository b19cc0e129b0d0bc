// TypeError: topk: k is 7, but axis 1 has 4 elements
#include "tests/errors/mistake.h"

TUTTI_MISTAKE {
  const Tensor scores = zeros({10, 4});
  topk(scores, 7);  // here
}
