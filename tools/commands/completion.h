#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace tutti::tools {

// An option, or what stands in its place without a name, as shells have to know it.
struct CompletionOption {
  std::vector<std::string> names;  // "-o", "--output"; none: a positional one
  std::string description;
  bool takes_value = false;
  std::vector<std::string> values;  // all that it takes; none: files, or anything
};

// A command with its options and commands below it.
struct CompletionCommand {
  std::string name;
  std::string description;
  std::vector<CompletionOption> options;
  std::vector<CompletionCommand> commands;
};

// What the command line has by now, but for what is hidden (in the group "").
CompletionCommand completion_tree(const CLI::App& app);

// Scripts for the shells, to be sourced.
std::string bash_completion(const CompletionCommand& root);
std::string zsh_completion(const CompletionCommand& root);
std::string fish_completion(const CompletionCommand& root);

}  // namespace tutti::tools
