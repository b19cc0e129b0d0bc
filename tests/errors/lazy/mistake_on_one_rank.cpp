// TypeError: rank 1: .*add: shapes \[2\] and \[3\] do not broadcast
#include "tests/errors/mistake.h"

TUTTI_MISTAKE {
  simulate(3, [](World& world) {
    Tensor x = zeros({2});
    if (world.rank() == 1) x = x + zeros({3});  // here
    barrier(world);
  });
}
