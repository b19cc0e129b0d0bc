#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tools/compare_results.h"
#include "tools/execute.h"
#include "tools/program_inputs.h"

namespace tutti::tools {

// The options of `tutti run`.
struct RunOptions {
  std::filesystem::path file;
  std::string function;                 // empty: the only one
  std::vector<std::string> inputs;      // see InputFiles
  std::optional<std::uint64_t> random;  // a seed: the inputs are random
  std::vector<std::string> sizes;       // n=7: of random inputs; see with_sizes
  std::filesystem::path output;         // empty: results are printed
  std::string expect;                   // where the results are to be found; empty: nowhere
  double tolerance = kStandardTolerance;
  std::int64_t ranks = 0;  // 0: the program's own number
  RunMode mode = RunMode::compiled;
  bool on_gpus = false;       // values of programs that name no devices lie there
  bool processes = false;     // each rank is one, not a thread
  bool compile_only = false;  // no inputs are read, and nothing is run
  bool bench = false;
  bool memory = false;                // print what each rank used of it
  int timed_runs = 20;                // of bench
  std::vector<std::string> disabled;  // names of passes
  std::vector<std::string> tunables;  // NAME=VALUE, as in TUTTI_SET
  std::filesystem::path as_rank;      // this is a rank of --processes; where its result goes
};

// Runs a function of a .tutti file. Results go to OUTPUT (see write_arrays), are compared with
// expected ones, or are printed. The settings of the environment hold where the options say nothing
// else. False: they are not what was expected, or a rank's process failed, which has been said.
bool run(const RunOptions& options);

}  // namespace tutti::tools
