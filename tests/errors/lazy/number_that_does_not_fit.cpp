// TypeError: the number 300 meets a tensor of u8, where it does not fit
#include "tests/errors/mistake.h"

TUTTI_MISTAKE {
  const Tensor pixels = tensor<std::uint8_t>({1, 2, 3});
  pixels + 300;  // here
}
