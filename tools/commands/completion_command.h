#pragma once

#include <CLI/CLI.hpp>

namespace tutti::tools {

// `tutti completion` on the command line. `app` is asked for all its commands when it runs.
void add_completion(CLI::App& app);

}  // namespace tutti::tools
