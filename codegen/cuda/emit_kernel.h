#pragma once

#include <tutti/codegen/cuda/source.h>
#include <tutti/codegen/kernel/kernel.h>

namespace tutti::codegen::cuda {

// Prints a kernel as CUDA C++, with the shape of its launch. The same kernel gives the same text on
// every machine, and the text the same bits on every device of a kind; float reductions add in
// another order than kernel.h says, a fixed one. Buffers are aligned as Buffer::data() is. Throws
// InternalError where check() does.
Source emit_kernel(const Kernel& kernel);

// The kernel as it is printed: without values that nothing depends on, with as few axes as
// possible.
Kernel prepared(Kernel kernel);

}  // namespace tutti::codegen::cuda
