#include <tutti/ir/order.h>
#include <tutti/kernels/host/per_thread.h>
#include <tutti/kernels/host/row_tiling.h>
#include <tutti/kernels/host/scratch.h>
#include <tutti/kernels/host/sort.h>
#include <tutti/kernels/host/sort_entries.h>
#include <tutti/kernels/host/sort_parts.h>

#include <algorithm>
#include <type_traits>

namespace tutti::kernels {

namespace {

// Elements that make a tile.
constexpr std::int64_t kSortTile = 8 * 1024;

// Columns that are sorted one after another once their elements were copied side by side: memory is
// read and written in runs of so many.
constexpr std::int64_t kColumns = 16;
// Elements of such copies; a longer column is copied alone.
constexpr std::int64_t kCopied = std::int64_t{1} << 20;

RowTiling sort_tiling(const Sort& spec) {
  const std::int64_t size = std::max<std::int64_t>(spec.size, 1);
  // Long columns, too, share lines of the cache, as long as there are tiles enough.
  constexpr std::int64_t kTiles = 64;
  const std::int64_t fewest =
      std::clamp<std::int64_t>(spec.outer * spec.inner / kTiles, 1,
                               std::min(kColumns, std::max<std::int64_t>(spec.inner, 1)));
  return {spec.outer, spec.inner, std::max(kSortTile / size, fewest)};
}

// A row whose results are `stride` apart.
template <class Word, class T>
void sort_row(const Sort& spec, const T* x, T* values, std::int64_t* indices, std::int64_t stride) {
  constinit thread_local PerThread<Scratch> scratch;
  const bool searched = spec.count <= spec.size / ir::kSearchedPart;
  const auto memory =
      scratch.get().use<SortEntry<Word>>(searched ? searched_entries(spec.count) : 2 * spec.size);
  auto* entries = memory.get();
  if (searched) {
    search_row(x, spec.size, spec.descending, spec.count, entries);
  } else {
    const auto turned = turned_bits<T>(spec.descending);
    for (std::int64_t i = 0; i < spec.size; ++i) {
      using Key = std::remove_const_t<decltype(turned)>;
      const auto key = static_cast<Key>(sort_key(x[i]) ^ turned);
      entries[i] = {static_cast<Word>(key), static_cast<Word>(i)};
    }
    entries = sort_entries(entries, entries + spec.size, spec.size);
  }
  for (std::int64_t i = 0; i < spec.count; ++i) {
    const auto from = static_cast<std::int64_t>(entries[i].index);
    values[i * stride] = x[from];
    indices[i * stride] = from;
  }
}

// Columns side by side: rows of a copy, whose results are copied back where there are several.
template <class Word, class T>
void sort_columns(const Sort& spec, const T* x, T* values, std::int64_t* indices,
                  std::int64_t columns) {
  constinit thread_local PerThread<Scratch> of_columns;
  constinit thread_local PerThread<Scratch> of_values;
  constinit thread_local PerThread<Scratch> of_indices;
  // Columns that began a power of two apart would share a set of the cache.
  const std::int64_t pitch = spec.size + kColumns;
  const auto own = of_columns.get().use<T>(columns * pitch);
  for (std::int64_t i = 0; i < spec.size; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) own.get()[j * pitch + i] = x[i * spec.inner + j];
  }
  if (columns == 1) {
    sort_row<Word>(spec, own.get(), values, indices, spec.inner);
    return;
  }
  const auto own_values = of_values.get().use<T>(columns * spec.count);
  const auto own_indices = of_indices.get().use<std::int64_t>(columns * spec.count);
  for (std::int64_t j = 0; j < columns; ++j) {
    sort_row<Word>(spec, own.get() + j * pitch, own_values.get() + j * spec.count,
                   own_indices.get() + j * spec.count, 1);
  }
  for (std::int64_t i = 0; i < spec.count; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      values[i * spec.inner + j] = own_values.get()[j * spec.count + i];
      indices[i * spec.inner + j] = own_indices.get()[j * spec.count + i];
    }
  }
}

template <class Word, class T>
void sort_tile(const Sort& spec, const T* x, T* values, std::int64_t* indices,
               const RowTiling::Tile& tile) {
  const std::int64_t together = std::clamp<std::int64_t>(kCopied / spec.size, 1, kColumns);
  for (std::int64_t outer = tile.row_begin; outer < tile.row_end; ++outer) {
    const T* const from = x + outer * spec.size * spec.inner;
    const std::int64_t kept = outer * spec.count * spec.inner;
    if (spec.inner == 1) {
      sort_row<Word>(spec, from, values + kept, indices + kept, 1);
      continue;
    }
    for (std::int64_t i = tile.column_begin; i < tile.column_end; i += together) {
      sort_columns<Word>(spec, from + i, values + kept + i, indices + kept + i,
                         std::min(together, tile.column_end - i));
    }
  }
}

}  // namespace

std::int64_t tiles(const Sort& spec) {
  if (spec.count == 0) return 0;
  const SortDivision division = sort_division(spec);
  return division.parts > 1 ? divided_tiles(spec, division) : sort_tiling(spec).tiles();
}

void run(const Sort& spec, const void* x, const void* parts, void* values, std::int64_t* indices,
         std::int64_t begin, std::int64_t end) {
  const SortDivision division = sort_division(spec);
  if (division.parts > 1) {
    return run_divided(spec, division, x, parts, values, indices, begin, end);
  }
  visit_entries(spec, [&]<class Word, class T>(std::type_identity<Word>, std::type_identity<T>) {
    for_each_tile(sort_tiling(spec), begin, end, [&](const RowTiling::Tile& tile) {
      sort_tile<Word>(spec, static_cast<const T*>(x), static_cast<T*>(values), indices, tile);
    });
  });
}

}  // namespace tutti::kernels
