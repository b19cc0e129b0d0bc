#pragma once

#include <string>

#include "tools/launch/launch.h"

namespace tutti::tools {

// The trace that a launch is asked for, by --profile or TUTTI_PROFILE: each rank writes its part.
class TraceOfRanks {
 public:
  // Makes options.profile the whole path, so that ranks may change their folder, and removes what
  // an earlier launch left. Throws EnvironmentError if the file could not be written in the end.
  explicit TraceOfRanks(LaunchOptions& options);

  // When all ranks have ended: puts the parts together. Returns what there is to say, in lines.
  std::string merge() const;

 private:
  std::string file_;
  std::int64_t ranks_;
};

}  // namespace tutti::tools
