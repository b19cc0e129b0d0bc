#pragma once

#include <tutti/codegen/plan/plan.h>

#include <cstddef>

namespace tutti::codegen {

// What all members of a group must have in common that run the program, as hashes
// (runtime/comm/placement.h). The skeleton of a program and a group is what its steps do about the
// group's memory and calls, in their order and nothing else: the first write of each symmetric
// buffer, the start of each collective, its wait, and each local reading; what a loop or branch
// does stands in brackets. The layout says where the buffers lie, and when each is acquired.
runtime::Placement placement_of(const Plan& plan, std::size_t area);

// Lets all areas of the plan say so.
void add_placements(Plan& plan);

}  // namespace tutti::codegen
