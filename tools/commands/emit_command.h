#pragma once

#include <CLI/CLI.hpp>

namespace tutti::tools {

// `tutti emit` on the command line.
void add_emit(CLI::App& app);

}  // namespace tutti::tools
