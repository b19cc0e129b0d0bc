#pragma once

#include <tutti/ir/graph.h>

#include <string>

namespace tutti::tools::show {

// A drawing of a function, complete in itself, for light and dark schemes. Needs nothing installed.
std::string svg_text(const ir::Graph& function, bool folded);

}  // namespace tutti::tools::show
