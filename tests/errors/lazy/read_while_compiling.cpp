// UsageError: there is no data to read while the function around it is being recorded, by compile\(\), a loop, a branch or a derivative; return the tensor and read it outside
#include "tests/errors/mistake.h"

TUTTI_MISTAKE {
  auto step = compile([](const Tensor& x) {
    if (x.item<float>() > 0) return x;  // here
    return -x;
  });
  step(tensor(1.F));
}
