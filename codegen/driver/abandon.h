#pragma once

#include <tutti/ir/graph.h>
#include <tutti/ir/group.h>
#include <tutti/runtime/run/context.h>

#include <memory>
#include <string>

namespace tutti::codegen {

// Tells the peers that this rank won't start the calls of a collective node nor anything after them
// in their groups, and why: they would take the next call for it. `algorithm` is what the program
// was compiled with (CompileOptions): which engine makes a call hangs on it.
void abandon_collective(const ir::Graph& graph, ir::NodeId id, runtime::Context& context,
                        ir::Algorithm algorithm, const std::string& why) noexcept;
// The same for every collective of a program.
void abandon_collectives(const ir::Graph& graph, runtime::Context& context, ir::Algorithm algorithm,
                         const std::string& why) noexcept;

// What the peers of a rank are told.
std::string not_started(const runtime::Context& context, const std::string& description,
                        const std::string& tag, const std::string& why);

}  // namespace tutti::codegen
