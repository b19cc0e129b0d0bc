#pragma once

#include <memory>

#include <CLI/CLI.hpp>

namespace tutti::tools {

// `tutti comm-test`. Gives its exit code, once it has run.
std::shared_ptr<int> add_comm_test(CLI::App& app);

}  // namespace tutti::tools
