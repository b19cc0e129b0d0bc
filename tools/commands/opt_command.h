#pragma once

#include <CLI/CLI.hpp>

namespace tutti::tools {

// `tutti opt`
void add_opt(CLI::App& app);

}  // namespace tutti::tools
