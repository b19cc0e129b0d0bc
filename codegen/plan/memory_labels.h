#pragma once

#include <tutti/codegen/plan/plan.h>
#include <tutti/runtime/memory_use.h>
#include <tutti/runtime/run/context.h>

#include <span>
#include <vector>

namespace tutti::codegen {

// By buffer: what its memory is for, which is what the first step that writes it does, and the
// user's line of that.
std::vector<runtime::MemoryLabel> memory_labels(const Plan& plan);

// What a plan keeps in its arena on a device. The label of the whole has the line of the largest.
runtime::ArenaContents arena_contents(const Plan& plan,
                                      std::span<const runtime::MemoryLabel> labels, Device device);

}  // namespace tutti::codegen
