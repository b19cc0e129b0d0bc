// TypeError: add: the operands lie on different devices, f32\[2\] on cpu \(made at .*:5\) and f32\[2\] on cuda:0 \(made at .*:6\); copy one of them with to\(x, device\)
#include "tests/errors/mistake.h"

TUTTI_MISTAKE {
  const Tensor x = tensor({1.F, 2.F});
  const Tensor y = to(x, Device::cuda());
  x + y;  // here
}
