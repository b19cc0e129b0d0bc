#pragma once

#include <tutti/ir/shape.h>

#include <cstdint>

namespace tutti::codegen {

// A tensor around one of its axes: [outer, size, inner].
struct AroundAxis {
  std::int64_t outer = 1;
  std::int64_t size = 1;
  std::int64_t inner = 1;

  AroundAxis() = default;
  AroundAxis(const Shape& shape, std::int64_t axis) {
    for (int d = 0; d < shape.rank(); ++d) {
      (d < axis ? outer : d == axis ? size : inner) *= shape[d];
    }
  }
};

}  // namespace tutti::codegen
