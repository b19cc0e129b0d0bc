#pragma once

#include <CLI/CLI.hpp>

namespace tutti::tools {

// `tutti show` on the command line.
void add_show(CLI::App& app);

}  // namespace tutti::tools
