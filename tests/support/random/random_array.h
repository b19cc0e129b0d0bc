#pragma once

#include <tutti/ir/array.h>

#include "tests/support/random/draw.h"

namespace tutti::test {

// What random elements look like. Integers and bool are what fits of it.
enum class Elements : std::uint8_t {
  small,    // integers of [-3, 3]
  uneven,   // of [-2, 2), no two the same
  special,  // -0, infinities and NaN among uneven ones; the ends of integers' ranges
};

ir::Array random_array(DType dtype, const Shape& shape, Elements elements, Draw& draw);

}  // namespace tutti::test
