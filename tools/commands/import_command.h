#pragma once

#include <CLI/CLI.hpp>

namespace tutti::tools {

// `tutti import`: programs of other systems become .tutti files.
void add_import(CLI::App& app);

}  // namespace tutti::tools
