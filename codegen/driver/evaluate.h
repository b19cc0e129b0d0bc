#pragma once

#include <tutti/codegen/kernel/kernel.h>

#include <memory>

namespace tutti::codegen {

// Runs a kernel element by element with the reference meaning of the scalar primitives, in the
// order that kernel.h lays down: slow and obvious. Machine code is tested against it, and builds
// without LLVM run on it. Throws InternalError where check() does.
std::shared_ptr<const KernelCode> make_evaluator(Kernel kernel);

}  // namespace tutti::codegen
