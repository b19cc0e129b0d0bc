#include <tutti/ir/support/error.h>
#include <tutti/kernels/host/dynamic_slice.h>
#include <tutti/kernels/host/element_size.h>
#include <tutti/kernels/host/index_values.h>
#include <tutti/kernels/host/layout.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace tutti::kernels {

namespace {

constexpr std::int64_t kPartTileBytes = 128 * 1024;

using Starts = std::array<std::int64_t, Shape::kMaxRank>;

// The starts, moved so that the part fits.
Starts read_starts(DType dtype, const void* starts, const Shape& x, const Shape& part) {
  Starts out{};
  visit_index_dtype(dtype, [&]<class Index>(std::type_identity<Index>) {
    for (int d = 0; d < x.rank(); ++d) {
      out[static_cast<std::size_t>(d)] =
          clamped_index(static_cast<const Index*>(starts)[d], x[d] - part[d] + 1);
    }
  });
  return out;
}

using Dimensions = std::vector<PartDimension>;

RowTiling tiling_of(const DynamicUpdateSlice& spec, const Dimensions& dimensions,
                    std::int64_t PartDimension::* size) {
  std::int64_t rows = 1;
  for (std::size_t d = 0; d + 1 < dimensions.size(); ++d) rows *= dimensions[d].*size;
  return {rows, dimensions.back().*size, kPartTileBytes / spec.element_size};
}

// The row of x that a row of the part goes into.
std::int64_t row_in_x(const Dimensions& dimensions, const Starts& starts, std::int64_t row) {
  std::int64_t out = 0;
  std::int64_t stride = 1;
  for (std::size_t d = dimensions.size() - 1; d-- > 0;) {
    const PartDimension& dimension = dimensions[d];
    const std::int64_t start = starts[static_cast<std::size_t>(dimension.axis)] * dimension.scale;
    out += (start + row % dimension.part) * stride;
    row /= dimension.part;
    stride *= dimension.size;
  }
  return out;
}

// Where the update has what goes into a row of x; nothing does if it is negative.
std::int64_t find_part_row(const Dimensions& dimensions, const Starts& starts, std::int64_t row) {
  std::int64_t place = 0;
  std::int64_t stride = dimensions.back().part;
  for (std::size_t d = dimensions.size() - 1; d-- > 0;) {
    const PartDimension& dimension = dimensions[d];
    const std::int64_t start = starts[static_cast<std::size_t>(dimension.axis)] * dimension.scale;
    const std::int64_t at = row % dimension.size - start;
    if (at < 0 || at >= dimension.part) return -1;
    row /= dimension.size;
    place += at * stride;
    stride *= dimension.part;
  }
  return place;
}

// The call of a function takes longer than to copy an element or two.
void copy_few(std::byte* to, const std::byte* from, std::int64_t bytes) {
  if (bytes == 4) {
    std::memcpy(to, from, 4);
  } else if (bytes == 8) {
    std::memcpy(to, from, 8);
  } else {
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
  }
}

}  // namespace

std::vector<PartDimension> part_dimensions(const Shape& x, const Shape& part) {
  std::vector<PartDimension> out;
  for (int d = 0; d < x.rank(); ++d) {
    if (!out.empty() && part[d] == x[d]) {
      out.back().size *= x[d];
      out.back().part *= x[d];
      out.back().scale *= x[d];
    } else {
      out.push_back({.size = x[d], .part = part[d], .scale = 1, .axis = d});
    }
  }
  if (out.empty()) out.push_back({.axis = -1});
  return out;
}

SliceMove::SliceMove(const DynamicSlice& spec)
    : spec_(spec),
      strides_(spec.x.strides()),
      plan_(spec.element_size, spec.part, strides_, 0, spec.part.strides(), 0) {}

std::int64_t tiles(const SliceMove& move) { return move.plan_.tiles(); }

void run(const SliceMove& move, const void* x, const void* starts, void* result, std::int64_t begin,
         std::int64_t end) {
  const DynamicSlice& spec = move.spec_;
  const Starts first = read_starts(spec.index_dtype, starts, spec.x, spec.part);
  std::int64_t offset = 0;
  for (int d = 0; d < spec.x.rank(); ++d) {
    const auto i = static_cast<std::size_t>(d);
    offset += first[i] * move.strides_[i];
  }
  move.plan_.run(static_cast<const std::byte*>(x) + offset * spec.element_size, result, begin, end);
}

UpdateMove::UpdateMove(const DynamicUpdateSlice& spec)
    : spec_(spec),
      dimensions_(part_dimensions(spec.x, spec.part)),
      whole_(tiling_of(spec, dimensions_, &PartDimension::size)),
      part_(tiling_of(spec, dimensions_, &PartDimension::part)) {
  visit_element_size(spec.element_size, [](auto) {});
}

std::int64_t tiles(const UpdateMove& move) { return move.whole_.tiles(); }

std::int64_t tiles_in_place(const UpdateMove& move) { return move.part_.tiles(); }

void run(const UpdateMove& move, const void* x, const void* update, const void* starts,
         void* result, std::int64_t begin, std::int64_t end) {
  const DynamicUpdateSlice& spec = move.spec_;
  const Dimensions& dimensions = move.dimensions_;
  const PartDimension& last = dimensions.back();
  const Starts all = read_starts(spec.index_dtype, starts, spec.x, spec.part);
  const std::int64_t first =
      last.axis < 0 ? 0 : all[static_cast<std::size_t>(last.axis)] * last.scale;
  const std::int64_t bytes = spec.element_size;
  const auto copy = [&](std::int64_t to, const void* from, std::int64_t at, std::int64_t count) {
    if (count <= 0) return;  // `from` may be null
    copy_few(static_cast<std::byte*>(result) + to * bytes,
             static_cast<const std::byte*>(from) + at * bytes, count * bytes);
  };
  if (x == result) {
    // Rows of one dimension follow each other in x, too.
    const std::int64_t together = dimensions.size() > 1 ? dimensions.end()[-2].part : 1;
    return for_each_tile(move.part_, begin, end, [&](const RowTiling::Tile& tile) {
      const std::int64_t count = tile.column_end - tile.column_begin;
      for (std::int64_t row = tile.row_begin; row < tile.row_end;) {
        const std::int64_t after = std::min(row - row % together + together, tile.row_end);
        std::int64_t to = row_in_x(dimensions, all, row) * last.size + first + tile.column_begin;
        for (; row < after; ++row, to += last.size) {
          copy(to, update, row * last.part + tile.column_begin, count);
        }
      }
    });
  }
  for_each_tile(move.whole_, begin, end, [&](const RowTiling::Tile& tile) {
    for (std::int64_t row = tile.row_begin; row < tile.row_end; ++row) {
      const std::int64_t to = row * last.size;
      const std::int64_t place = find_part_row(dimensions, all, row);
      const std::int64_t reach = place < 0 ? 0 : last.part;
      const std::int64_t from = std::clamp(first, tile.column_begin, tile.column_end);
      const std::int64_t after = std::clamp(first + reach, from, tile.column_end);
      copy(to + tile.column_begin, x, to + tile.column_begin, from - tile.column_begin);
      copy(to + from, update, place + from - first, after - from);
      copy(to + after, x, to + after, tile.column_end - after);
    }
  });
}

}  // namespace tutti::kernels
