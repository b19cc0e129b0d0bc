#include <tutti/lazy/range_span.h>

#include <algorithm>
#include <optional>

namespace tutti::detail {

RangeSpan span_of(const Range& range, std::int64_t size) {
  const bool backwards = range.step < 0;
  // Cut to [0, size] forwards, to [-1, size - 1] backwards.
  const auto cut = [&](std::optional<std::int64_t> at, std::int64_t standard) {
    if (!at) return standard;
    const std::int64_t counted = *at < 0 ? *at + size : *at;
    return std::clamp<std::int64_t>(counted, backwards ? -1 : 0, backwards ? size - 1 : size);
  };
  const std::int64_t start = cut(range.start, backwards ? size - 1 : 0);
  const std::int64_t stop = cut(range.stop, backwards ? -1 : size);
  const std::int64_t step = backwards ? -range.step : range.step;
  const std::int64_t length = backwards ? start - stop : stop - start;
  const std::int64_t count = length <= 0 ? 0 : (length - 1) / step + 1;
  const std::int64_t lowest = backwards ? start - (count - 1) * step : start;
  if (count == 0) return {.step = step, .backwards = backwards};
  RangeSpan out{.first = lowest, .count = count, .step = step, .backwards = backwards};
  out.stop = backwards ? out.end() : stop;
  return out;
}

}  // namespace tutti::detail
