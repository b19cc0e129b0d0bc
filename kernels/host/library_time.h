#pragma once

#include <tutti/kernels/host/matmul.h>

namespace tutti::kernels {

// Seconds that the matmul library takes for such a product by itself: all of it in one call, for as
// many threads as it is given, operands dense and transposed as the spec has them, and in the
// caches where they fit. What a program's products can be compared with. 0 where the library does
// not multiply this dtype (see library_multiplies) or refuses, or there is nothing to multiply.
//
// Measured, once a process for each product and number of threads; takes some tens of milliseconds
// at most where the machine is not much slower than any laptop, since of large products only a part
// is multiplied.
double library_seconds(const Matmul& spec, int threads);

}  // namespace tutti::kernels
