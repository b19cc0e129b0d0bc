// CommError: rank 0: .*rank 1 left: its World was closed; collective #1 of group "world" \(all_reduce sum f32\[2\]\) waits for it
#include "tests/errors/mistake.h"

TUTTI_MISTAKE {
  simulate(2, [](World& world) {
    const Tensor x = zeros({2});
    if (world.rank() == 0) eval(all_reduce(x, world));
  });
}
