#pragma once

#include <tutti/codegen/target.h>

#include <array>

namespace tutti::codegen {

// All there are.
std::array<const Target*, 2> targets();

// That of a device.
const Target& target_of(Device device);

}  // namespace tutti::codegen
