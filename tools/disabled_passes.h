#pragma once

#include <string>
#include <vector>

namespace tutti::tools {

// The passes that TUTTI_DISABLE names.
std::vector<std::string> disabled_passes();

// Throws UsageError for a stage that is one of these passes.
void check_not_disabled(const std::string& stage, const std::vector<std::string>& disabled);

}  // namespace tutti::tools
