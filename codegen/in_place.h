#pragma once

#include <tutti/codegen/kernel.h>

#include <cstddef>

namespace tutti::codegen {

// Whether a kernel computes the same when its buffer `written` lies over its buffer `read`: every
// element is read at the very point that writes it, before it is written. The emitters keep loads
// of such pairs in front of the stores.
bool may_run_in_place(const Kernel& kernel, std::size_t read, std::size_t written);

}  // namespace tutti::codegen
