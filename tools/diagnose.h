#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tutti::tools {

struct DiagnoseOptions {
  // Files that TUTTI_FLIGHT_RECORDER or `tutti launch --record` wrote, or the process number of a
  // rank (or launcher) that still runs.
  std::vector<std::string> sources;
  std::size_t most = 10;  // collectives to show of each rank
};

// Prints who called what last, who differs and who waits for whom. Throws UsageError, ParseError,
// EnvironmentError.
void diagnose(const DiagnoseOptions& options);

}  // namespace tutti::tools
