#pragma once

#include <tutti/ir/attribute.h>

#include <cstdint>
#include <span>
#include <vector>

namespace tutti::ir {

// All integers of an attribute in a row: itself, its list, the sizes of its types' dimensions.
std::vector<std::int64_t> integers_of(const Attribute& attribute);
// The same attribute with other integers, as many. Throws TypeError for what is no shape.
Attribute with_integers(const Attribute& attribute, std::span<const std::int64_t> integers);

}  // namespace tutti::ir
