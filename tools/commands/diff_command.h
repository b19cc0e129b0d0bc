#pragma once

#include <memory>

#include <CLI/CLI.hpp>

namespace tutti::tools {

// `tutti diff` on the command line. Gives whether there was a difference, once it has run.
std::shared_ptr<bool> add_diff(CLI::App& app);

}  // namespace tutti::tools
