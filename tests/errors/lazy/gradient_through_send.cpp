// TypeError: rank 0: .*send has no gradient here: .*use grad on both ranks, collective_permute, or take a vjp of each pipeline stage
#include "tests/errors/mistake.h"

TUTTI_MISTAKE {
  simulate(2, [](World& world) {
    const auto loss = [&](const Tensor& x) {
      if (world.rank() == 0) send(x, world, 1);  // here
      if (world.rank() == 1) recv({}, DType::f32, world, 0);
      return x * x;
    };
    vjp(loss)(tensor(1.F));
  });
}
