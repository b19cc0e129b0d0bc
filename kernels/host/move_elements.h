#pragma once

#include <tutti/ir/shape.h>

#include <array>
#include <cstdint>

namespace tutti::kernels {

// Copies result[i . result_strides] = source[i . source_strides] for every index i, planned: with
// as few dimensions as possible, and in the order that is best for the caches. Strides and offsets
// are in elements; the places written must differ from each other and from those read.
class MovePlan {
 public:
  using Strides = std::array<std::int64_t, Shape::kMaxRank>;

  // Throws InternalError for elements of other than 1, 2, 4 or 8 bytes.
  MovePlan(std::int64_t element_size, const Shape& shape, const Strides& source_strides,
           std::int64_t source_offset, const Strides& result_strides, std::int64_t result_offset);

  std::int64_t tiles() const;
  void run(const void* source, void* result, std::int64_t begin, std::int64_t end) const;

 private:
  struct Dimension {
    std::int64_t size;
    std::int64_t source_stride;
    std::int64_t result_stride;
  };
  // Which elements a tile covers: `others` are the dimensions before the last two.
  struct Tile {
    std::int64_t other_begin, other_end;
    std::int64_t row_begin, row_end;
    std::int64_t column_begin, column_end;
  };

  void simplify();
  bool is_transpose() const;
  void choose_tiles();
  Tile tile(std::int64_t number) const;
  template <class Element>
  void run_tile(const Element* source, Element* result, const Tile& tile) const;
  // Some rows and columns that begin here.
  template <class Element>
  void move_box(const Element* from, Element* to, std::int64_t row_count,
                std::int64_t column_count) const;

  std::int64_t element_size_;
  // Never fewer than 2; the last two are walked together: their elements are adjacent in the result
  // along the last one, and in the source along either, if along any.
  std::array<Dimension, Shape::kMaxRank + 1> dimensions_;
  std::size_t rank_ = 0;
  std::int64_t source_offset_;
  std::int64_t result_offset_;
  std::int64_t others_ = 1;
  std::int64_t tile_others_ = 1, tile_rows_ = 1, tile_columns_ = 1;
  bool is_one_tile_ = false;
};

}  // namespace tutti::kernels
