// TypeError: the elements are f32, read as f64; cast the tensor first
#include "tests/errors/mistake.h"

TUTTI_MISTAKE {
  const Tensor loss = tensor(1.F);
  loss.item<double>();  // here
}
