#pragma once

#include <string_view>

namespace tutti::codegen {

// Changes whenever the code generator's output may: a hash of the sources of this layer and those
// below it, and of how they were built. The same in every program that links this build.
std::string_view build_id();

}  // namespace tutti::codegen
