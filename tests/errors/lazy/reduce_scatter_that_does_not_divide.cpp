// TypeError: rank 0: .*reduce_scatter: the group.s 2 ranks do not divide the 3 of axis 0
#include "tests/errors/mistake.h"

TUTTI_MISTAKE {
  simulate(2, [](World& world) {
    const Tensor x = zeros({3});
    reduce_scatter(x, world);  // here
  });
}
