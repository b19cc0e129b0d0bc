// CommError: rank 0: .*collective #1 of group "world" does not match: .*all_reduce sum f32\[2\] \(ranks_that_call_different_collectives.cpp:\d+\).*all_gather f32\[2\] \(ranks_that_call_different_collectives.cpp:\d+\)
#include "tests/errors/mistake.h"

TUTTI_MISTAKE {
  simulate(2, [](World& world) {
    const Tensor x = zeros({2});
    if (world.rank() == 0) {
      eval(all_reduce(x, world));
    } else {
      eval(all_gather(x, world));
    }
  });
}
