#pragma once

#include <tutti/codegen/plan/launch.h>

namespace tutti::codegen {

// Whether one thread computes a launch on the host about as fast as several: to hand tiles out and
// to wait for the last costs more than they save. Follows from the plan alone, by a rough estimate
// of the time.
bool is_for_one_thread(const Plan& plan, const Launch& launch);

}  // namespace tutti::codegen
