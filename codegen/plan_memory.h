#pragma once

#include <tutti/codegen/plan/plan.h>
#include <tutti/runtime/comm/algorithms.h>

namespace tutti::codegen {

// Fills in defined_at and last_use of every buffer from the steps.
void find_live_ranges(Plan& plan);

// Decides where every buffer of a plan lives, once its steps say who reads and writes what:
// - local buffers get offsets in the arena; those that are never live together may overlap (first
//   fit in order of definition);
// - buffers of the run's own that outlive the plan's hold on them (results, what peers read) get
//   Allocate steps before they are written, and Free steps after their last use;
// - results get the arguments whose memory they may take over.
void plan_memory(Plan& plan, const runtime::Algorithms& algorithms = {});

}  // namespace tutti::codegen
