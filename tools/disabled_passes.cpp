#include "tools/disabled_passes.h"

#include <tutti/ir/support/error.h>
#include <tutti/runtime/settings.h>

#include <algorithm>

namespace tutti::tools {

std::vector<std::string> disabled_passes() {
  return runtime::Settings::process().words("TUTTI_DISABLE");
}

void check_not_disabled(const std::string& stage, const std::vector<std::string>& disabled) {
  if (std::ranges::find(disabled, stage) == disabled.end()) return;
  throw UsageError("the stage '" + stage + "' is left out: TUTTI_DISABLE names it");
}

}  // namespace tutti::tools
