#pragma once

#include <memory>

#include <CLI/CLI.hpp>

namespace tutti::tools {

// `tutti run` on the command line. Gives whether it failed after saying all there is to say, once
// it has run.
std::shared_ptr<bool> add_run(CLI::App& app);

}  // namespace tutti::tools
