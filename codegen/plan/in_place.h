#pragma once

#include <tutti/codegen/kernel/kernel.h>
#include <tutti/codegen/plan/plan.h>

#include <cstddef>

namespace tutti::codegen {

// Whether a kernel computes the same when its buffer `written` lies over its buffer `read`: every
// element is read at the very point that writes it, before it is written. The emitters keep loads
// of such pairs in front of the stores.
bool may_run_in_place(const Kernel& kernel, std::size_t read, std::size_t written);

// The same of a kernel or call of a plan, by the places among its buffers.
bool may_run_in_place(const Plan& plan, const LaunchPart& part, std::size_t read,
                      std::size_t written);

}  // namespace tutti::codegen
