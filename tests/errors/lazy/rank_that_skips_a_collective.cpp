// CommError: rank 0: .*all_reduce.*rank 1 .*(left|closed)
#include "tests/errors/mistake.h"

TUTTI_MISTAKE {
  simulate(2, [](World& world) {
    const Tensor x = zeros({2});
    if (world.rank() == 0) eval(all_reduce(x, world));
  });
}
