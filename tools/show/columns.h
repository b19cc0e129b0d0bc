#pragma once

#include <tutti/codegen/plan/plan.h>
#include <tutti/ir/graph.h>

#include <string>

namespace tutti::tools::show {

// The canonical text of a function with columns in front of every node: bytes of its results, what
// is live after it, how often it is used, and by whom last. Ends with what is most.
std::string text_with_columns(const ir::Graph& function);

// The text of a plan with what is held at every step in front of it: in the arenas, and for
// collectives.
std::string text_with_columns(const codegen::Plan& plan);

}  // namespace tutti::tools::show
