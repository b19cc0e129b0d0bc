#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/run_rank.h"

namespace tutti::tools {

// What the timed runs of all ranks come to, in lines: a run takes as long as its slowest rank; the
// work is rank 0's.
std::string timing_text(const std::string& function, const std::vector<RankResult>& ranks);

}  // namespace tutti::tools
