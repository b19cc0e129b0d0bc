#pragma once

#include <tutti/lazy/tensor.h>

namespace tutti::detail {

// A zero with one element along each of x's axes, or none where x has none. It lies where x does
// and is the same on the ranks on which x is; so is what it is added to. What is made of numbers
// alone is taken to differ between ranks, and lies on the default device.
Tensor zero_beside(const Tensor& x, DType dtype);

}  // namespace tutti::detail
