#pragma once

#include <tutti/codegen/plan/plan.h>
#include <tutti/ir/graph.h>
#include <tutti/runtime/comm/algorithms.h>
#include <tutti/runtime/comm/program_calls.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace tutti::codegen {

// Tag, engine, members: what has numbers of its own.
using CallGroup = std::tuple<std::string, std::string, std::vector<std::int64_t>>;

// By group: what all calls of the program as it was traced are, those of loops and branches
// included. None for messages, which are matched by their peers, for calls of programs that differ,
// and for a group's only call.
// `arguments`: how many of the parameters, the first ones, the caller gives in an order of his own.
// `algorithms` are those that the plan is made with: another one may go by another engine.
// Throws TypeError like lower_collective.
std::map<CallGroup, runtime::ProgramCalls> program_calls(const ir::Graph& traced,
                                                         std::size_t arguments, std::int64_t rank,
                                                         const runtime::Algorithms& algorithms);

// Lets the plan's collectives say so.
void add_program_calls(Plan& plan, const std::map<CallGroup, runtime::ProgramCalls>& calls);

}  // namespace tutti::codegen
