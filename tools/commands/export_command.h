#pragma once

#include <CLI/CLI.hpp>

namespace tutti::tools {

// `tutti export`: .tutti files become programs of other systems.
void add_export(CLI::App& app);

}  // namespace tutti::tools
