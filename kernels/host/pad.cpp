#include <tutti/ir/support/error.h>
#include <tutti/kernels/host/element_size.h>
#include <tutti/kernels/host/layout.h>
#include <tutti/kernels/host/row_tiling.h>

#include <algorithm>
#include <cstring>

namespace tutti::kernels {

namespace {

constexpr std::int64_t kPadTileBytes = 128 * 1024;
constexpr std::int64_t kFilledRow = 64;  // elements

}  // namespace

// Goes through rows of the result, one after another.
class PadMove::Rows {
 public:
  Rows(const PadMove& pad, std::int64_t row);

  // Whether the row has source elements, and where they start, from that of the first row.
  bool has_source() const { return outside_ == 0; }
  std::int64_t offset() const { return offset_; }
  void next();

 private:
  void move(std::size_t dimension, std::int64_t to);

  const PadMove& pad_;
  struct Place {
    std::int64_t index = 0;
    std::int64_t offset = 0;
    bool outside = false;
  };
  std::array<Place, Shape::kMaxRank> places_;  // along each dimension but the last
  std::int64_t offset_ = 0;
  int outside_ = 0;  // how many dimensions the row is outside of the source in
};

PadMove::PadMove(const Pad& spec) : element_size_(spec.element_size), offset_(spec.source.offset) {
  visit_element_size(element_size_, [](auto) {});
  const Shape& shape = spec.source.shape;
  const auto given = static_cast<std::size_t>(shape.rank());
  if (spec.low.size() != given || spec.high.size() != given || spec.interior.size() != given) {
    throw InternalError("pad needs one low, high and interior per dimension");
  }
  for (std::size_t d = 0; d < given; ++d) {
    const std::int64_t size = shape.sizes()[d];
    const Dimension next = {size, spec.source.strides[d], spec.low[d], spec.high[d],
                            size > 1 ? spec.interior[d] + 1 : 1};
    const bool unpadded = next.low == 0 && next.high == 0 && next.step == 1;
    if (rank_ > 0 && unpadded) {
      Dimension& outer = dimensions_[rank_ - 1];
      if (outer.step == 1 && (outer.stride == next.stride * next.size || outer.size == 1)) {
        outer = {outer.size * next.size, next.stride, outer.low * next.size, outer.high * next.size,
                 1};
        continue;
      }
    }
    dimensions_[rank_++] = next;
  }
  if (rank_ == 0) dimensions_[rank_++] = {1, 0, 0, 0, 1};
}

RowTiling PadMove::tiling() const {
  std::int64_t rows = 1;
  for (std::size_t d = 0; d + 1 < rank_; ++d) rows *= dimensions_[d].result_size();
  return {rows, last().result_size(), kPadTileBytes / element_size_};
}

PadMove::Rows::Rows(const PadMove& pad, std::int64_t row) : pad_(pad) {
  for (std::size_t d = pad.rank_ - 1; d-- > 0;) {
    const std::int64_t size = pad.dimensions_[d].result_size();
    move(d, row % size);
    row /= size;
  }
}

void PadMove::Rows::next() {
  for (std::size_t d = pad_.rank_ - 1; d-- > 0;) {
    if (places_[d].index + 1 < pad_.dimensions_[d].result_size()) {
      return move(d, places_[d].index + 1);
    }
    move(d, 0);
  }
}

void PadMove::Rows::move(std::size_t dimension, std::int64_t to) {
  const Dimension& own = pad_.dimensions_[dimension];
  Place& place = places_[dimension];
  const std::int64_t past = to - own.low;
  const std::int64_t at = own.step == 1 ? past : past / own.step;
  const bool outside = past < 0 || at >= own.size || at * own.step != past;
  const std::int64_t offset = outside ? 0 : at * own.stride;
  offset_ += offset - place.offset;
  outside_ += static_cast<int>(outside) - static_cast<int>(place.outside);
  place = {.index = to, .offset = offset, .outside = outside};
}

namespace {

template <class Element>
void fill_pads(Element* to, std::int64_t count, Element value) {
  // Most fill values are zero; memset is much faster than a loop.
  if (value == 0) {
    std::memset(to, 0, static_cast<std::size_t>(count) * sizeof(Element));
  } else {
    std::fill_n(to, count, value);
  }
}

}  // namespace

// Writes a row's source elements alone.
template <class Element>
void PadMove::write_elements(const Dimension& last, const Element* source, Element* row) {
  row += last.low;
  for (std::int64_t i = 0; i < last.size; ++i) row[i * last.step] = source[i * last.stride];
}

// Writes columns [begin, end) of a row whose source elements start at `source`.
template <class Element>
void PadMove::write_row(const Dimension& last, const Element* source, Element value, Element* row,
                        std::int64_t begin, std::int64_t end) {
  if (last.step != 1 || last.stride != 1) fill_pads(row + begin, end - begin, value);
  // The source elements that fall into the columns.
  const auto first_at = [&](std::int64_t column) {
    const std::int64_t past = std::max<std::int64_t>(column - last.low, 0) + last.step - 1;
    return std::min(past / last.step, last.size);
  };
  const std::int64_t first = first_at(begin);
  const std::int64_t after = std::max(first_at(end), first);
  if (last.step == 1 && last.stride == 1) {
    const std::int64_t from = std::clamp(last.low + first, begin, end);
    const std::int64_t to = from + (after - first);
    fill_pads(row + begin, from - begin, value);
    if (after > first) {  // an empty source may be null
      const auto bytes = static_cast<std::size_t>(after - first) * sizeof(Element);
      std::memcpy(row + from, source + first, bytes);
    }
    fill_pads(row + to, end - to, value);
    return;
  }
  for (std::int64_t i = first; i < after; ++i) {
    row[last.low + i * last.step] = source[i * last.stride];
  }
}

std::int64_t tiles(const PadMove& move) { return move.tiling().tiles(); }

void run(const PadMove& move, const void* source, const void* fill, void* result,
         std::int64_t begin, std::int64_t end) {
  visit_element_size(move.element_size_, [&]<class Element>(std::type_identity<Element>) {
    const auto* from = static_cast<const Element*>(source);
    const Element value = *static_cast<const Element*>(fill);
    const std::int64_t columns = move.last().result_size();
    for_each_tile(move.tiling(), begin, end, [&](const RowTiling::Tile& tile) {
      const std::int64_t width = tile.column_end - tile.column_begin;
      Element* to = static_cast<Element*>(result) + tile.row_begin * columns + tile.column_begin;
      // Many short rows are filled at once, and those that have elements written again.
      const bool fills = width == columns && columns <= kFilledRow;
      if (fills) fill_pads(to, (tile.row_end - tile.row_begin) * columns, value);
      PadMove::Rows rows(move, tile.row_begin);
      for (std::int64_t row = tile.row_begin; row < tile.row_end;
           ++row, to += columns, rows.next()) {
        const Element* const source_row = from + move.offset_ + rows.offset();
        if (fills) {
          if (rows.has_source()) PadMove::write_elements(move.last(), source_row, to);
        } else if (rows.has_source()) {
          PadMove::write_row(move.last(), source_row, value, to - tile.column_begin,
                             tile.column_begin, tile.column_end);
        } else {
          fill_pads(to, width, value);
        }
      }
    });
  });
}

}  // namespace tutti::kernels
