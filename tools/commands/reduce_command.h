#pragma once

#include <memory>

#include <CLI/CLI.hpp>

namespace tutti::tools {

// `tutti reduce`. Gives whether it was interrupted, once it has run.
std::shared_ptr<bool> add_reduce(CLI::App& app);

}  // namespace tutti::tools
