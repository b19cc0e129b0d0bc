// UsageError: the function being compiled captures a tensor made at captured_tensor.cpp:\d+; pass it as an argument, or say constant\(t\) if it is meant
#include "tests/errors/mistake.h"

TUTTI_MISTAKE {
  const Tensor weight = tensor({1.F, 2.F});
  auto step = compile([&](const Tensor& x) {
    return x * weight;  // here
  });
  step(tensor({3.F, 4.F}));
}
