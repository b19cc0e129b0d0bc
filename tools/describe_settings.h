#pragma once

#include <tutti/runtime/settings.h>

#include <string>

namespace tutti::tools {

// What `tutti help env` prints: every variable and tunable with what it takes, its default and its
// value now. A malformed value is shown with what is wrong with it.
std::string describe_settings(const runtime::GetVariable& get);

}  // namespace tutti::tools
