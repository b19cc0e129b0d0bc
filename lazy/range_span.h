#pragma once

#include <tutti/lazy/ops.h>

#include <cstdint>

namespace tutti::detail {

// What a range takes of an axis of so many elements, by Python's rules.
struct RangeSpan {
  std::int64_t first = 0;  // the lowest; 0 of none
  std::int64_t count = 0;
  std::int64_t step = 1;   // above 0
  bool backwards = false;  // from the highest to the lowest
  // Where it ends: forwards as the range has it, so that where sizes vary it does as they do.
  std::int64_t stop = 0;

  // Behind the highest.
  std::int64_t end() const { return count == 0 ? first : first + (count - 1) * step + 1; }
};
// The step must not be 0.
RangeSpan span_of(const Range& range, std::int64_t size);

}  // namespace tutti::detail
