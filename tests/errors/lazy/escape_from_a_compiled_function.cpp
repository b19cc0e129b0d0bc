// UsageError: this tensor \(made at escape_from_a_compiled_function.cpp:\d+\) has no value: it was made inside a function that was being recorded, by compile\(\), a loop, a branch or simulate\(\), of which only what is returned comes out
#include "tests/errors/mistake.h"

TUTTI_MISTAKE {
  Tensor hidden;
  auto step = compile([&](const Tensor& x) {
    hidden = exp(x);
    return hidden + 1.F;
  });
  step(tensor(1.F));
  hidden.item<float>();  // here
}
