#pragma once

#include <string>

#include "tools/show/page.h"

namespace tutti::tools::show {

// What the page shows, as JSON; page/model.js reads it. Nodes come in columns, an array for each
// property; texts that repeat are numbers of entries in `strings`.
std::string page_data(std::span<const ir::Graph* const> functions, const PageOptions& options);

}  // namespace tutti::tools::show
