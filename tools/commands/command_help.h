#pragma once

#include <initializer_list>
#include <string>

#include <CLI/CLI.hpp>

namespace tutti::tools {

// Ends the help on a command with command lines to begin with, and with its exit codes. `found` is
// what 1 stands for beside errors: "if the programs differ"; empty: nothing.
void add_examples(CLI::App& command, std::initializer_list<const char*> examples,
                  const std::string& found = "");

}  // namespace tutti::tools
