#pragma once

#include <limits>
#include <numbers>

namespace tutti::ir::stablehlo {

inline constexpr double kPi = std::numbers::pi;
inline constexpr double kLn2 = std::numbers::ln2;
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace tutti::ir::stablehlo
