#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "tools/launch/child_process.h"
#include "tools/launch/rank_output.h"

namespace tutti::tools {

// What became of a rank.
struct RankFate {
  std::optional<ChildEnd> end;
  int sent = 0;  // the last signal by which the launcher wanted to end it; 0: none
};

struct FirstFailure {
  std::size_t rank = 0;
  int passed_on = 0;  // the last signal that came to the launcher before it and ends ranks; 0: none
};

// The launcher's last words after a failure: who failed first and how, what it printed last, and
// what became of the others.
std::string summary(const FirstFailure& first, std::span<const RankFate> fates,
                    const RecentLines& recent);

}  // namespace tutti::tools
