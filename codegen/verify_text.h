#pragma once

#include <tutti/codegen/plan.h>
#include <tutti/ir/graph.h>

namespace tutti::codegen {

// Throws InternalError unless the text of a program or plan says all of it: read back it is the
// same and is printed the same. Whatever tests compile in debug builds goes through here.
void verify_text(const ir::Graph& graph);
void verify_text(const Plan& plan);

}  // namespace tutti::codegen
