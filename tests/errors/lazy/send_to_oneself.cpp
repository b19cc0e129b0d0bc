// TypeError: rank 0: .*send: position 0 of group "world" is this rank itself; .*collective_permute
#include "tests/errors/mistake.h"

TUTTI_MISTAKE {
  simulate(2, [](World& world) {
    send(zeros({2}), world, world.rank());  // here
  });
}
