#pragma once

#include <cstdint>

namespace tutti::ir {

// The host searches rows for their largest (or smallest) elements instead of sorting them, where
// no more than one of so many is asked for.
inline constexpr std::int64_t kSearchedPart = 4;

}  // namespace tutti::ir
