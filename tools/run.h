#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tools/execute.h"
#include "tools/program_inputs.h"

namespace tutti::tools {

// The options of `tutti run`.
struct RunOptions {
  std::filesystem::path file;
  std::string function;             // empty: the only one
  std::vector<std::string> inputs;  // NAME=FILE.npy, or a folder
  std::filesystem::path output;     // empty: results are printed
  std::int64_t ranks = 0;           // 0: the program's own number
  Engine engine = Engine::compiled;
  bool compile_only = false;          // no inputs are read, and nothing is run
  std::vector<std::string> disabled;  // names of passes
  std::vector<std::string> tunables;  // NAME=VALUE, as in TUTTI_SET
};

// Runs a function of a .tutti file on arrays from .npy files. Results go to OUTPUT/0.npy, 1.npy,
// ..., with several ranks to OUTPUT/rank0/0.npy and so on. The settings of the environment hold
// where the options say nothing else.
void run(const RunOptions& options);

}  // namespace tutti::tools
