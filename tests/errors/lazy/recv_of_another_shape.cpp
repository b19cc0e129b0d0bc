// CommError: rank [01]: .*collective #1 of group "world \[0,1\] messages" does not match: .*send f32\[2\] to rank 1 \(recv_of_another_shape.cpp:\d+\).*recv f32\[3\] from rank 0 \(recv_of_another_shape.cpp:\d+\)
#include "tests/errors/mistake.h"

TUTTI_MISTAKE {
  simulate(2, [](World& world) {
    if (world.rank() == 0) {
      send(zeros({2}), world, 1);
    } else {
      eval(recv({3}, DType::f32, world, 0));
    }
  });
}
