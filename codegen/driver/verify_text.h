#pragma once

#include <tutti/codegen/plan/plan.h>
#include <tutti/ir/graph.h>

namespace tutti::codegen {

// Throws InternalError, which names the first node, line or step that differs, unless the text of a
// program or plan says all of it: read back it is the same and is printed the same. All that tests
// build goes through here (ir/test_hook.h), and what debug builds compile.
void verify_text(const ir::Graph& graph);
void verify_text(const Plan& plan);

}  // namespace tutti::codegen
