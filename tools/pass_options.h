#pragma once

#include <tutti/ir/passes/passes.h>

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace tutti::tools {

// Which passes a command runs.
struct PassSelection {
  std::vector<std::string> words;     // passes and pipelines; empty: the compiler's
  std::vector<std::string> disabled;  // passes to leave out
};

// Adds --pass and --disable to a command.
void add_pass_options(CLI::App& command, PassSelection& selection);

// The passes, one after another; of the compiler's, without those that TUTTI_DISABLE names. Throws
// UsageError for names that are none.
std::vector<const ir::Pass*> selected_passes(const PassSelection& selection);

}  // namespace tutti::tools
