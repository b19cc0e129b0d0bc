#pragma once

#include <tutti/codegen/plan/plan.h>
#include <tutti/ir/graph.h>
#include <tutti/runtime/comm/program_calls.h>

#include <cstdint>
#include <vector>

namespace tutti::codegen {

// By call of the program as it was traced: what all calls of its group are. None for messages,
// which are matched by their peers, and for a group's only call. Throws TypeError like
// lower_collective.
std::vector<runtime::ProgramCalls> program_calls(const ir::Graph& traced, std::int64_t rank);

// Lets the plan's collectives say so.
void add_program_calls(Plan& plan, const std::vector<runtime::ProgramCalls>& calls);

}  // namespace tutti::codegen
