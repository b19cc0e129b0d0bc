#include <tutti/ir/support/error.h>
#include <tutti/kernels/host/dynamic_slice.h>
#include <tutti/kernels/host/element_size.h>
#include <tutti/kernels/host/index_values.h>
#include <tutti/kernels/host/layout.h>
#include <tutti/kernels/host/row_tiling.h>

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

// All but the last dimension of x are its rows.
RowTiling whole_tiling(const DynamicUpdateSlice& spec,
                       const std::vector<PartDimension>& dimensions) {
  std::int64_t rows = 1;
  for (std::size_t d = 0; d + 1 < dimensions.size(); ++d) rows *= dimensions[d].size;
  return {rows, dimensions.back().size, kPartTileBytes / spec.element_size};
}

// All but the last dimension of the part are its rows.
RowTiling part_tiling(const DynamicUpdateSlice& spec,
                      const std::vector<PartDimension>& dimensions) {
  std::int64_t rows = 1;
  for (std::size_t d = 0; d + 1 < dimensions.size(); ++d) rows *= dimensions[d].part;
  return {rows, dimensions.back().part, kPartTileBytes / spec.element_size};
}

// The row of x that a row of the part goes into.
std::int64_t row_in_x(const std::vector<PartDimension>& dimensions, const Starts& starts,
                      std::int64_t row) {
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
std::int64_t find_part_row(const std::vector<PartDimension>& dimensions, const Starts& starts,
                           std::int64_t row) {
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

std::int64_t tiles(const DynamicUpdateSlice& spec) {
  visit_element_size(spec.element_size, [](auto) {});
  return whole_tiling(spec, part_dimensions(spec.x, spec.part)).tiles();
}

std::int64_t tiles_in_place(const DynamicUpdateSlice& spec) {
  return part_tiling(spec, part_dimensions(spec.x, spec.part)).tiles();
}

void run(const DynamicUpdateSlice& spec, const void* x, const void* update, const void* starts,
         void* result, std::int64_t begin, std::int64_t end) {
  const std::vector<PartDimension> dimensions = part_dimensions(spec.x, spec.part);
  const PartDimension& last = dimensions.back();
  const Starts all = read_starts(spec.index_dtype, starts, spec.x, spec.part);
  const std::int64_t first =
      last.axis < 0 ? 0 : all[static_cast<std::size_t>(last.axis)] * last.scale;
  const std::int64_t bytes = spec.element_size;
  const auto copy = [&](std::int64_t to, const void* from, std::int64_t at, std::int64_t count) {
    if (count <= 0) return;  // `from` may be null
    std::memcpy(static_cast<std::byte*>(result) + to * bytes,
                static_cast<const std::byte*>(from) + at * bytes,
                static_cast<std::size_t>(count * bytes));
  };
  if (x == result) {
    return for_each_tile(
        part_tiling(spec, dimensions), begin, end, [&](const RowTiling::Tile& tile) {
          for (std::int64_t row = tile.row_begin; row < tile.row_end; ++row) {
            const std::int64_t to = row_in_x(dimensions, all, row) * last.size + first;
            copy(to + tile.column_begin, update, row * last.part + tile.column_begin,
                 tile.column_end - tile.column_begin);
          }
        });
  }
  for_each_tile(whole_tiling(spec, dimensions), begin, end, [&](const RowTiling::Tile& tile) {
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
