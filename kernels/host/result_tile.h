#pragma once

#include <cstdint>
#include <functional>

namespace tutti::kernels {

// Results that a call has computed: rows [row_begin, row_end) and columns [column_begin,
// column_end) of all its results, seen as one dense matrix.
struct ResultTile {
  std::int64_t row_begin, row_end;
  std::int64_t column_begin, column_end;
};

// How a call divides that matrix: tiles have so many columns, those at the end of a row may have
// fewer.
struct ResultDivision {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t tile_columns = 0;
};

// Called with results as soon as they are there, by the thread that computed them.
using AfterTile = std::function<void(const ResultTile&)>;

}  // namespace tutti::kernels
