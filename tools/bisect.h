#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "tools/pass_options.h"

namespace tutti::tools {

// The options of `tutti bisect`.
struct BisectOptions {
  std::filesystem::path file;       // one program for all ranks
  std::filesystem::path folder;     // instead: with a program for each rank (find_ranks)
  std::string function;             // empty: the only one, of each rank
  std::vector<std::string> inputs;  // as for `tutti run`; empty: random ones
  std::uint64_t seed = 0;           // of the random ones
  std::int64_t ranks = 0;           // 0: the program's own number
  PassSelection passes;
  std::optional<double> tolerance;  // for floating-point results, of their largest magnitude
  bool compiled = false;            // look at the compiled program, too
  bool colours = false;
};

// Finds the pass, and with `compiled` else the kernel, that makes a program compute something else
// than the reference interpreter does of the program as it is, and says so. Gives whether there is
// none.
bool bisect(const BisectOptions& options, std::ostream& out);

}  // namespace tutti::tools
