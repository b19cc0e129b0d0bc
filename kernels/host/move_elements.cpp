#include <tutti/ir/arithmetic.h>
#include <tutti/kernels/host/element_size.h>
#include <tutti/kernels/host/move_elements.h>
#include <tutti/kernels/host/transpose.h>

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

namespace tutti::kernels {

namespace {

constexpr std::int64_t kMoveTileBytes = 128 * 1024;
// Rows that a tile of a transpose has at least, where there are as many.
constexpr std::int64_t kTransposedRows = 64;

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

// Rows of a size that is known here are moved by an instruction or two, and not by a call.
template <std::size_t kBytes, class Element>
void move_short_rows(const Element* source, std::int64_t source_stride, Element* result,
                     std::int64_t result_stride, std::int64_t rows) {
  for (std::int64_t row = 0; row < rows; ++row) {
    std::memcpy(result + row * result_stride, source + row * source_stride, kBytes);
  }
}

// Says whether rows of so many bytes, which lie side by side in both, were moved.
template <class Element>
bool move_if_short(std::size_t bytes, const Element* source, std::int64_t source_stride,
                   Element* result, std::int64_t result_stride, std::int64_t rows) {
  const auto move = [&]<std::size_t kBytes>(std::integral_constant<std::size_t, kBytes>) {
    if (bytes != kBytes) return false;
    move_short_rows<kBytes>(source, source_stride, result, result_stride, rows);
    return true;
  };
  return [&]<std::size_t... kBytes>(std::index_sequence<kBytes...>) {
    return (move(std::integral_constant<std::size_t, kBytes>()) || ...);
  }(std::index_sequence<2, 4, 8, 12, 16, 24, 32, 48, 64>());
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
  std::int64_t from = source_offset_ + tile.row_begin * rows.source_stride +
                      tile.column_begin * columns.source_stride;
  std::int64_t to = result_offset_ + tile.row_begin * rows.result_stride +
                    tile.column_begin * columns.result_stride;
  std::array<std::int64_t, Shape::kMaxRank> index{};  // of the dimensions before
  std::int64_t rest = tile.other_begin;
  for (std::size_t d = rank_ - 2; d-- > 0;) {
    index[d] = rest % dimensions_[d].size;
    from += index[d] * dimensions_[d].source_stride;
    to += index[d] * dimensions_[d].result_stride;
    rest /= dimensions_[d].size;
  }
  for (std::int64_t left = tile.other_end - tile.other_begin; left > 0; --left) {
    move_box(source + from, result + to, tile.row_end - tile.row_begin,
             tile.column_end - tile.column_begin);
    if (left == 1) break;
    for (std::size_t d = rank_ - 2; d-- > 0;) {
      const Dimension& dimension = dimensions_[d];
      from += dimension.source_stride;
      to += dimension.result_stride;
      if (++index[d] < dimension.size) break;
      from -= dimension.size * dimension.source_stride;
      to -= dimension.size * dimension.result_stride;
      index[d] = 0;
    }
  }
}

template <class Element>
void MovePlan::move_box(const Element* from, Element* to, std::int64_t row_count,
                        std::int64_t column_count) const {
  const Dimension& rows = dimensions_[rank_ - 2];
  const Dimension& columns = dimensions_[rank_ - 1];
  if (is_transpose()) {
    return transpose(from, columns.source_stride, to, rows.result_stride, row_count, column_count);
  }
  if (columns.source_stride == 1 && columns.result_stride == 1 &&
      move_if_short(static_cast<std::size_t>(column_count) * sizeof(Element), from,
                    rows.source_stride, to, rows.result_stride, row_count)) {
    return;
  }
  for (std::int64_t row = 0; row < row_count; ++row) {
    move_row(from + row * rows.source_stride, columns.source_stride, to + row * rows.result_stride,
             columns.result_stride, column_count);
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
