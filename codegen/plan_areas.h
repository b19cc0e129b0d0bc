#pragma once

#include <tutti/codegen/plan/plan.h>
#include <tutti/runtime/comm/algorithms.h>

namespace tutti::codegen {

// Gives operands and results of collectives places in their group's memory, the same on all
// members, once their lives are known (find_live_ranges): those that the plan makes and uses up
// itself, of collectives of one group that the runtime's own engine or one for GPUs carries out and
// that the plan waits for. What a message sends is none of them, since sending waits for nobody;
// nor is what a member alone knows the size of. An operand's place is in use up to the wait at
// least; an Acquire step says when peers are done with it, too, where streams don't. A result that
// all members have in common lies with the one that has least of them, if all ranks compile the
// program as one (Algorithms).
void place_in_areas(Plan& plan, const runtime::Algorithms& algorithms);

}  // namespace tutti::codegen
