// UsageError: this tensor was never given a value
#include "tests/errors/mistake.h"

TUTTI_MISTAKE {
  const Tensor x;
  exp(x);  // here
}
