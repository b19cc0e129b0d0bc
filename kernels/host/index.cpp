#include <tutti/kernels/host/element_size.h>
#include <tutti/kernels/host/index.h>
#include <tutti/kernels/host/index_values.h>
#include <tutti/kernels/host/row_tiling.h>

#include <cstring>

namespace tutti::kernels {

namespace {

// Bytes of a result that make a tile.
constexpr std::int64_t kTakeTileBytes = 128 * 1024;

// A result row is one taken row, counted in bytes.
RowTiling take_tiling(const Take& spec) {
  return {spec.outer * spec.count, spec.inner * spec.element_size, kTakeTileBytes};
}

RowTiling take_tiling(const TakeAlongAxis& spec) {
  return {spec.outer * spec.count, spec.inner, kTakeTileBytes / spec.element_size};
}

template <class Index>
void take_rows(const Take& spec, const std::byte* x, const Index* indices, std::byte* result,
               const RowTiling::Tile& tile) {
  const std::int64_t row_bytes = spec.inner * spec.element_size;
  const auto bytes = static_cast<std::size_t>(tile.column_end - tile.column_begin);
  std::int64_t outer = tile.row_begin / spec.count;
  std::int64_t at = tile.row_begin % spec.count;
  for (std::int64_t row = tile.row_begin; row < tile.row_end; ++row) {
    const std::int64_t source = outer * spec.size + clamped_index(indices[at], spec.size);
    std::memcpy(result + row * row_bytes + tile.column_begin,
                x + source * row_bytes + tile.column_begin, bytes);
    if (++at == spec.count) {
      at = 0;
      ++outer;
    }
  }
}

// Rows of one element: no call per row.
template <class Element, class Index>
void take_elements(const Take& spec, const Element* x, const Index* indices, Element* result,
                   const RowTiling::Tile& tile) {
  std::int64_t row = tile.row_begin;
  for (std::int64_t outer = row / spec.count; row < tile.row_end; ++outer) {
    const std::int64_t end = std::min(tile.row_end, (outer + 1) * spec.count);
    const Element* from = x + outer * spec.size;
    for (; row < end; ++row) {
      result[row] = from[clamped_index(indices[row - outer * spec.count], spec.size)];
    }
  }
}

template <class Element, class Index>
void take_along(const TakeAlongAxis& spec, const Element* x, const Index* indices, Element* result,
                const RowTiling::Tile& tile) {
  std::int64_t row = tile.row_begin;
  for (std::int64_t outer = row / spec.count; row < tile.row_end; ++outer) {
    const std::int64_t end = std::min(tile.row_end, (outer + 1) * spec.count);
    const Element* from = x + outer * spec.size * spec.inner;
    for (; row < end; ++row) {
      for (std::int64_t i = tile.column_begin; i < tile.column_end; ++i) {
        const std::int64_t at = row * spec.inner + i;
        result[at] = from[clamped_index(indices[at], spec.size) * spec.inner + i];
      }
    }
  }
}

bool is_one_element(std::int64_t bytes) {
  return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

}  // namespace

std::int64_t tiles(const Take& spec) { return take_tiling(spec).tiles(); }

void run(const Take& spec, const void* x, const void* indices, void* result, std::int64_t begin,
         std::int64_t end) {
  const std::int64_t row_bytes = spec.inner * spec.element_size;
  visit_index_dtype(spec.index_dtype, [&]<class Index>(std::type_identity<Index>) {
    const auto* at = static_cast<const Index*>(indices);
    if (!is_one_element(row_bytes)) {
      for_each_tile(take_tiling(spec), begin, end, [&](const RowTiling::Tile& tile) {
        take_rows(spec, static_cast<const std::byte*>(x), at, static_cast<std::byte*>(result),
                  tile);
      });
      return;
    }
    visit_element_size(row_bytes, [&]<class Element>(std::type_identity<Element>) {
      for_each_tile(take_tiling(spec), begin, end, [&](const RowTiling::Tile& tile) {
        take_elements(spec, static_cast<const Element*>(x), at, static_cast<Element*>(result),
                      tile);
      });
    });
  });
}

std::int64_t tiles(const TakeAlongAxis& spec) { return take_tiling(spec).tiles(); }

void run(const TakeAlongAxis& spec, const void* x, const void* indices, void* result,
         std::int64_t begin, std::int64_t end) {
  visit_index_dtype(spec.index_dtype, [&]<class Index>(std::type_identity<Index>) {
    visit_element_size(spec.element_size, [&]<class Element>(std::type_identity<Element>) {
      for_each_tile(take_tiling(spec), begin, end, [&](const RowTiling::Tile& tile) {
        take_along(spec, static_cast<const Element*>(x), static_cast<const Index*>(indices),
                   static_cast<Element*>(result), tile);
      });
    });
  });
}

}  // namespace tutti::kernels
