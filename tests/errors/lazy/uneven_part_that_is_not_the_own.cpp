// TypeError: rank 1: .*all_gather: axis 0 of f32\[2\] is 2, but sizes\[1\], which is this rank.s, is 3
#include "tests/errors/mistake.h"

TUTTI_MISTAKE {
  simulate(2, [](World& world) {
    all_gather(zeros({2}), world, 0, {2, 3});  // here
  });
}
