#pragma once

#include <tutti/codegen/plan/plan.h>

namespace tutti::codegen {

// Lets launches that need nothing of each other run as parts of one, so that many small kernels
// (an optimiser's, one per tensor) cost one start and one end of a parallel loop. A launch joins
// one shortly before it, never across a collective, and only where the tiles of all parts take
// about equally long: threads share a loop by numbers of tiles.
//
// Comes before plan_memory: what the parts of a launch use is live together.
void group_launches(Plan& plan);

}  // namespace tutti::codegen
