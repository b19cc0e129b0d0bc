// UsageError: rank 1: .*all_reduce: group "ranks" does not include this rank, 1
#include "tests/errors/mistake.h"

TUTTI_MISTAKE {
  simulate(2, [](World&) {
    const Tensor x = zeros({2});
    all_reduce(x, Group({0}));  // here
  });
}
