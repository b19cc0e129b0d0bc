#include <tutti/ir/arithmetic.h>
#include <tutti/kernels/host/element_size.h>
#include <tutti/kernels/host/move_elements.h>

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace tutti::kernels {

namespace {

constexpr std::int64_t kMoveTileBytes = 128 * 1024;
constexpr std::int64_t kCacheLine = 64;
constexpr std::int64_t kBlockColumns = 64;
// Rows that a tile of a transpose has at least, where there are as many.
constexpr std::int64_t kTransposedRows = 64;

// result[row * result_stride + column] = source[column * source_stride + row].
template <class Element>
void transpose_each(const Element* source, std::int64_t source_stride, Element* result,
                    std::int64_t result_stride, std::int64_t rows, std::int64_t columns) {
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      result[row * result_stride + column] = source[column * source_stride + row];
    }
  }
}

#if defined(__SSE2__)

template <std::size_t kBytes>
void interleave(__m128i a, __m128i b, __m128i& low, __m128i& high) {
  if constexpr (kBytes == 1) {
    low = _mm_unpacklo_epi8(a, b);
    high = _mm_unpackhi_epi8(a, b);
  } else if constexpr (kBytes == 2) {
    low = _mm_unpacklo_epi16(a, b);
    high = _mm_unpackhi_epi16(a, b);
  } else if constexpr (kBytes == 4) {
    low = _mm_unpacklo_epi32(a, b);
    high = _mm_unpackhi_epi32(a, b);
  } else {
    low = _mm_unpacklo_epi64(a, b);
    high = _mm_unpackhi_epi64(a, b);
  }
}

// The same for a square as wide as a vector. Interleaving the upper with the lower half of the
// lines moves the highest bit of an element's line to the lowest bit of its place in the line;
// after log2(side) times lines and places have changed roles. Written without loops: an array that
// is indexed by a variable would not live in registers.
template <class Element>
void transpose_square(const Element* source, std::int64_t source_stride, Element* result,
                      std::int64_t result_stride) {
  constexpr std::size_t kSide = sizeof(__m128i) / sizeof(Element);
  __m128i lines[kSide];
  const auto each = [](auto&& f) {
    [&]<std::size_t... i>(std::index_sequence<i...>) {
      (f(std::integral_constant<std::size_t, i>()), ...);
    }(std::make_index_sequence<kSide>());
  };
  each([&](auto i) {
    std::memcpy(&lines[i], source + static_cast<std::int64_t>(i) * source_stride, sizeof(__m128i));
  });
  const auto interleave_halves = [&] {
    __m128i mixed[kSide];
    each([&](auto i) {
      if constexpr (i < kSide / 2) {
        interleave<sizeof(Element)>(lines[i], lines[i + kSide / 2], mixed[2 * i], mixed[2 * i + 1]);
      }
    });
    each([&](auto i) { lines[i] = mixed[i]; });
  };
  interleave_halves();
  if constexpr (kSide > 2) interleave_halves();
  if constexpr (kSide > 4) interleave_halves();
  if constexpr (kSide > 8) interleave_halves();
  each([&](auto i) {
    std::memcpy(result + static_cast<std::int64_t>(i) * result_stride, &lines[i], sizeof(__m128i));
  });
}

#endif

// In blocks whose pages stay in the TLB, and there a cache line's width of rows at a time, so that
// each line read is used up at once.
template <class Element>
void transpose(const Element* source, std::int64_t source_stride, Element* result,
               std::int64_t result_stride, std::int64_t rows, std::int64_t columns) {
#if defined(__SSE2__)
  constexpr auto kSide = static_cast<std::int64_t>(sizeof(__m128i) / sizeof(Element));
  constexpr auto kStrip = kCacheLine / static_cast<std::int64_t>(sizeof(Element));
  const std::int64_t whole_rows = rows / kSide * kSide;
  const std::int64_t whole_columns = columns / kSide * kSide;
  for (std::int64_t block = 0; block < whole_columns; block += kBlockColumns) {
    const std::int64_t block_end = std::min(block + kBlockColumns, whole_columns);
    for (std::int64_t strip = 0; strip < whole_rows; strip += kStrip) {
      const std::int64_t strip_end = std::min(strip + kStrip, whole_rows);
      for (std::int64_t column = block; column < block_end; column += kSide) {
        for (std::int64_t row = strip; row < strip_end; row += kSide) {
          transpose_square(source + column * source_stride + row, source_stride,
                           result + row * result_stride + column, result_stride);
        }
      }
    }
  }
  transpose_each(source + whole_columns * source_stride, source_stride, result + whole_columns,
                 result_stride, whole_rows, columns - whole_columns);
  transpose_each(source + whole_rows, source_stride, result + whole_rows * result_stride,
                 result_stride, rows - whole_rows, columns);
#else
  transpose_each(source, source_stride, result, result_stride, rows, columns);
#endif
}

template <class Element>
void move_row(const Element* source, std::int64_t source_stride, Element* result,
              std::int64_t result_stride, std::int64_t count) {
  if (source_stride == 1 && result_stride == 1) {
    std::memcpy(result, source, static_cast<std::size_t>(count) * sizeof(Element));
  } else if (source_stride == 0 && result_stride == 1) {
    std::fill_n(result, count, *source);
  } else {
    for (std::int64_t i = 0; i < count; ++i) result[i * result_stride] = source[i * source_stride];
  }
}

}  // namespace

MovePlan::MovePlan(std::int64_t element_size, const Shape& shape, const Strides& source_strides,
                   std::int64_t source_offset, const Strides& result_strides,
                   std::int64_t result_offset)
    : element_size_(element_size), source_offset_(source_offset), result_offset_(result_offset) {
  visit_element_size(element_size, [](auto) {});
  for (int d = 0; d < shape.rank(); ++d) {
    const auto at = static_cast<std::size_t>(d);
    dimensions_[rank_++] = {shape[d], source_strides[at], result_strides[at]};
  }
  simplify();
  choose_tiles();
}

void MovePlan::simplify() {
  std::size_t kept = 0;
  for (std::size_t d = 0; d < rank_; ++d) {
    const Dimension next = dimensions_[d];
    if (next.size == 1) continue;
    if (kept > 0) {
      Dimension& outer = dimensions_[kept - 1];
      if (outer.source_stride == next.source_stride * next.size &&
          outer.result_stride == next.result_stride * next.size) {
        outer = {outer.size * next.size, next.source_stride, next.result_stride};
        continue;
      }
    }
    dimensions_[kept++] = next;
  }
  for (rank_ = kept; rank_ < 2; ++rank_) {
    std::move_backward(dimensions_.begin(), dimensions_.begin() + rank_,
                       dimensions_.begin() + rank_ + 1);
    dimensions_[0] = {1, 0, 0};
  }
  // A dimension along which the source is dense becomes the rows of a transpose.
  const auto rows = dimensions_.begin() + static_cast<std::int64_t>(rank_) - 2;
  const auto dense = std::find_if(dimensions_.begin(), rows,
                                  [](const Dimension& d) { return d.source_stride == 1; });
  if (rows[1].source_stride != 1 && dense != rows) std::rotate(dense, dense + 1, rows + 1);
}

bool MovePlan::is_transpose() const {
  const Dimension& rows = dimensions_[rank_ - 2];
  const Dimension& columns = dimensions_[rank_ - 1];
  return columns.source_stride != 1 && rows.source_stride == 1 && columns.result_stride == 1;
}

void MovePlan::choose_tiles() {
  others_ = 1;
  for (std::size_t d = 0; d + 2 < rank_; ++d) others_ *= dimensions_[d].size;
  const Dimension& rows = dimensions_[rank_ - 2];
  const Dimension& columns = dimensions_[rank_ - 1];
  if (rows.size == 0 || columns.size == 0) others_ = 0;
  if (others_ == 0) return;
  const std::int64_t elements = kMoveTileBytes / element_size_;
  const std::int64_t wanted = is_transpose() ? std::min(rows.size, kTransposedRows) : 1;
  tile_columns_ = std::min(columns.size, elements / wanted);
  tile_rows_ = std::min(rows.size, elements / tile_columns_);
  tile_others_ = std::clamp<std::int64_t>(elements / (tile_columns_ * tile_rows_), 1, others_);
  is_one_tile_ = tiles() == 1;
}

std::int64_t MovePlan::tiles() const {
  return divide_up(others_, tile_others_) * divide_up(dimensions_[rank_ - 2].size, tile_rows_) *
         divide_up(dimensions_[rank_ - 1].size, tile_columns_);
}

MovePlan::Tile MovePlan::tile(std::int64_t number) const {
  const std::int64_t rows = dimensions_[rank_ - 2].size;
  const std::int64_t columns = dimensions_[rank_ - 1].size;
  if (is_one_tile_) return {0, others_, 0, rows, 0, columns};  // without a division
  const std::int64_t column_tiles = divide_up(columns, tile_columns_);
  const std::int64_t row_tiles = divide_up(rows, tile_rows_);
  const std::int64_t column = number % column_tiles * tile_columns_;
  const std::int64_t row = number / column_tiles % row_tiles * tile_rows_;
  const std::int64_t other = number / column_tiles / row_tiles * tile_others_;
  return {other,  std::min(other + tile_others_, others_),  row, std::min(row + tile_rows_, rows),
          column, std::min(column + tile_columns_, columns)};
}

template <class Element>
void MovePlan::run_tile(const Element* source, Element* result, const Tile& tile) const {
  const Dimension& rows = dimensions_[rank_ - 2];
  const Dimension& columns = dimensions_[rank_ - 1];
  for (std::int64_t other = tile.other_begin; other < tile.other_end; ++other) {
    std::int64_t from = source_offset_ + tile.row_begin * rows.source_stride +
                        tile.column_begin * columns.source_stride;
    std::int64_t to = result_offset_ + tile.row_begin * rows.result_stride +
                      tile.column_begin * columns.result_stride;
    std::int64_t rest = other;
    for (std::size_t d = rank_ - 2; d-- > 0;) {
      from += rest % dimensions_[d].size * dimensions_[d].source_stride;
      to += rest % dimensions_[d].size * dimensions_[d].result_stride;
      rest /= dimensions_[d].size;
    }
    const std::int64_t column_count = tile.column_end - tile.column_begin;
    if (is_transpose()) {
      transpose(source + from, columns.source_stride, result + to, rows.result_stride,
                tile.row_end - tile.row_begin, column_count);
      continue;
    }
    for (std::int64_t row = tile.row_begin; row < tile.row_end; ++row) {
      move_row(source + from, columns.source_stride, result + to, columns.result_stride,
               column_count);
      from += rows.source_stride;
      to += rows.result_stride;
    }
  }
}

void MovePlan::run(const void* source, void* result, std::int64_t begin, std::int64_t end) const {
  visit_element_size(element_size_, [&]<class Element>(std::type_identity<Element>) {
    for (std::int64_t number = begin; number < end; ++number) {
      run_tile(static_cast<const Element*>(source), static_cast<Element*>(result), tile(number));
    }
  });
}

}  // namespace tutti::kernels
