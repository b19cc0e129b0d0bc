// UsageError: rank 0: .*replicated\(\): the ranks hold different values: the tensor, f32\[2\], differs on rank 0 and on rank 1; make them the same first, from one key or with broadcast
#include "tests/errors/mistake.h"

TUTTI_MISTAKE {
  simulate(2, [](World& world) {
    const Tensor weight = full({2}, static_cast<float>(world.rank()));
    replicated(weight, world);  // here
  });
}
