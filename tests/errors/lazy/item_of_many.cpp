// TypeError: item\(\) of a tensor of shape \[2\]: it needs exactly one element
#include "tests/errors/mistake.h"

TUTTI_MISTAKE {
  const Tensor losses = zeros({2});
  losses.item<float>();  // here
}
