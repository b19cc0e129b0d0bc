// UsageError: this tensor .* has no value: .* its World was closed before it was computed
#include "tests/errors/mistake.h"

TUTTI_MISTAKE {
  Tensor x;
  {
    const World world = init();
    x = tensor(1.F) + 1.F;
  }
  x.item<float>();  // here
}
