#pragma once

#include <tutti/codegen/kernel/kernel.h>
#include <tutti/codegen/plan/plan.h>

#include <cstddef>
#include <optional>

namespace tutti::codegen {

// Whether a kernel computes the same when its buffer `written` lies over its buffer `read`: every
// element is read at the very point that writes it, before it is written. The emitters keep loads
// of such pairs in front of the stores.
bool may_run_in_place(const Kernel& kernel, std::size_t read, std::size_t written);

// The same of a kernel or call of a plan, by the places among its buffers.
bool may_run_in_place(const Plan& plan, const LaunchPart& part, std::size_t read,
                      std::size_t written);

// The same of the kernel that follows the collective which step `start` starts: the step that waits
// for it, if nothing in between uses the buffer that the kernel reads.
std::optional<std::size_t> follows_in_place(const Plan& plan, std::size_t start, BufferId read,
                                            BufferId written);

}  // namespace tutti::codegen
