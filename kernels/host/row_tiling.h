#pragma once

#include <tutti/ir/arithmetic.h>

#include <algorithm>
#include <cstdint>

namespace tutti::kernels {

// Divides the elements of a [rows, columns] array into tiles of about `target` elements: several
// whole rows, or a piece of one row where rows are long.
class RowTiling {
 public:
  struct Tile {
    std::int64_t row_begin, row_end;
    std::int64_t column_begin, column_end;
  };

  RowTiling(std::int64_t rows, std::int64_t columns, std::int64_t target)
      : rows_(rows),
        columns_(columns),
        tile_columns_(std::min(columns, target)),
        tile_rows_(columns > 0 ? std::max<std::int64_t>(target / columns, 1) : 1),
        column_tiles_(tile_columns_ > 0 ? divide_up(columns, tile_columns_) : 0) {}

  std::int64_t tiles() const { return divide_up(rows_, tile_rows_) * column_tiles_; }

  Tile tile(std::int64_t number) const {
    const std::int64_t row = number / column_tiles_ * tile_rows_;
    const std::int64_t column = number % column_tiles_ * tile_columns_;
    return {row, std::min(row + tile_rows_, rows_), column,
            std::min(column + tile_columns_, columns_)};
  }

 private:
  std::int64_t rows_;
  std::int64_t columns_;
  std::int64_t tile_columns_;
  std::int64_t tile_rows_;
  std::int64_t column_tiles_;
};

// A tile's columns, where so many are computed at a time: about as many as wanted, but none are
// left over for slower code where there are enough.
inline std::int64_t whole_lanes(std::int64_t wanted, std::int64_t columns, std::int64_t lanes) {
  if (columns < lanes || columns <= wanted) return wanted;
  return std::max(wanted / lanes, std::int64_t{1}) * lanes;
}

// Calls f(tile) for tiles [begin, end).
template <class F>
void for_each_tile(const RowTiling& tiling, std::int64_t begin, std::int64_t end, F&& f) {
  for (std::int64_t number = begin; number < end; ++number) f(tiling.tile(number));
}

}  // namespace tutti::kernels
