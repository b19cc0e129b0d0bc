#pragma once

#include <memory>

#include <CLI/CLI.hpp>

namespace tutti::tools {

// `tutti bisect`. Gives whether something was found, once it has run.
std::shared_ptr<bool> add_bisect(CLI::App& app);

}  // namespace tutti::tools
