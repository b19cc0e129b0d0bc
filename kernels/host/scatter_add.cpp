#include <tutti/ir/arithmetic.h>
#include <tutti/ir/support/error.h>
#include <tutti/kernels/host/index.h>
#include <tutti/kernels/host/index_values.h>
#include <tutti/kernels/host/narrow_arrays.h>

#include <array>
#include <cstring>

namespace tutti::kernels {

namespace {

// Tiles own disjoint parts of the result: several outer positions, or a range of rows and columns
// of one. Each goes through all indices in order, so that every element gets its updates in that
// order.
struct ScatterTiling {
  std::int64_t outers_per_tile = 1, outer_tiles = 0;
  std::int64_t rows_per_tile = 0, row_tiles = 0;
  std::int64_t columns_per_tile = 0, column_tiles = 0;

  explicit ScatterTiling(const ScatterAdd& spec);

  std::int64_t tiles() const { return outer_tiles * row_tiles * column_tiles; }
};

// Elements copied and added that make a tile; at most kMostTiles of them for one outer position.
constexpr std::int64_t kTileWork = 16 * 1024;
constexpr std::int64_t kMostTiles = 32;
// Narrower columns waste cache lines.
constexpr std::int64_t kLeastColumns = 64;
constexpr std::int64_t kMostRowTiles = 8;

ScatterTiling::ScatterTiling(const ScatterAdd& spec) {
  if (spec.outer == 0 || spec.size == 0 || spec.inner == 0) return;
  const std::int64_t work = (spec.size + spec.count) * spec.inner;  // of one outer position
  const std::int64_t parts = std::clamp<std::int64_t>(work / kTileWork, 1, kMostTiles);
  outers_per_tile = std::clamp<std::int64_t>(kTileWork / work, 1, spec.outer);
  columns_per_tile = std::max(divide_up(spec.inner, parts), kLeastColumns);
  column_tiles = divide_up(spec.inner, columns_per_tile);
  // Each range of rows scans all the indices: that must cost little against the work it shares out.
  const std::int64_t ranges = std::clamp<std::int64_t>(
      work / (4 * std::max<std::int64_t>(spec.count, 1)), 1,
      std::min({divide_up(parts, column_tiles), kMostRowTiles, spec.size}));
  rows_per_tile = divide_up(spec.size, ranges);
  row_tiles = divide_up(spec.size, rows_per_tile);
  outer_tiles = divide_up(spec.outer, outers_per_tile);
}

template <class T>
T add(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
  } else {
    return a + b;
  }
}

// to[i] += from[i], in loops of a known length: those become vector code at -O2.
template <class T>
void add_row(T* to, const T* from, std::int64_t count) {
  constexpr std::size_t kRun = 16;
  for (; count >= static_cast<std::int64_t>(kRun); count -= kRun, to += kRun, from += kRun) {
    std::array<T, kRun> sums;
    for (std::size_t i = 0; i < kRun; ++i) sums[i] = add(to[i], from[i]);
    std::memcpy(to, sums.data(), sizeof(sums));
  }
  for (std::int64_t i = 0; i < count; ++i) to[i] = add(to[i], from[i]);
}

// Narrow floats: every addition in f32, and rounded.
template <class T>
  requires is_narrow_float<T>
void add_row(T* to, const T* from, std::int64_t count) {
  constexpr std::int64_t kMost = 256;
  std::array<float, kMost> sums;
  std::array<float, kMost> addends;
  for (std::int64_t i = 0; i < count; i += kMost) {
    const std::int64_t used = std::min(kMost, count - i);
    widen(to + i, sums.data(), used);
    widen(from + i, addends.data(), used);
    add_row(sums.data(), addends.data(), used);
    narrow(sums.data(), to + i, used);
  }
}

template <class T, class Index>
void scatter_tile(const ScatterAdd& spec, const ScatterTiling& tiling, const T* x,
                  const Index* indices, const T* updates, T* result, std::int64_t number) {
  const std::int64_t column = number % tiling.column_tiles * tiling.columns_per_tile;
  const std::int64_t columns = std::min(tiling.columns_per_tile, spec.inner - column);
  const std::int64_t row = number / tiling.column_tiles % tiling.row_tiles * tiling.rows_per_tile;
  const std::int64_t row_end = std::min(row + tiling.rows_per_tile, spec.size);
  const std::int64_t outer =
      number / tiling.column_tiles / tiling.row_tiles * tiling.outers_per_tile;
  const std::int64_t outer_end = std::min(outer + tiling.outers_per_tile, spec.outer);
  for (std::int64_t o = outer; o < outer_end; ++o) {
    const std::int64_t base = o * spec.size * spec.inner + column;
    if (columns == spec.inner && x != result) {
      const auto bytes = static_cast<std::size_t>((row_end - row) * spec.inner) * sizeof(T);
      std::memcpy(result + base + row * spec.inner, x + base + row * spec.inner, bytes);
    } else if (x != result) {
      for (std::int64_t r = row; r < row_end; ++r) {
        std::memcpy(result + base + r * spec.inner, x + base + r * spec.inner,
                    static_cast<std::size_t>(columns) * sizeof(T));
      }
    }
    const T* from = updates + o * spec.count * spec.inner + column;
    if constexpr (!is_narrow_float<T>) {
      if (spec.inner == 1) {  // no call per element
        for (std::int64_t j = 0; j < spec.count; ++j) {
          const std::int64_t to = index_value(indices[j]);
          if (to >= row && to < row_end) result[base + to] = add(result[base + to], from[j]);
        }
        continue;
      }
    }
    for (std::int64_t j = 0; j < spec.count; ++j) {
      const std::int64_t to = index_value(indices[j]);
      if (to < row || to >= row_end) continue;
      add_row(result + base + to * spec.inner, from + j * spec.inner, columns);
    }
  }
}

}  // namespace

std::int64_t tiles(const ScatterAdd& spec) { return ScatterTiling(spec).tiles(); }

void run(const ScatterAdd& spec, const void* x, const void* indices, const void* updates,
         void* result, std::int64_t begin, std::int64_t end) {
  const ScatterTiling tiling(spec);
  visit_index_dtype(spec.index_dtype, [&]<class Index>(std::type_identity<Index>) {
    visit_dtype(spec.dtype, [&]<class T>(std::type_identity<T>) {
      if constexpr (std::is_same_v<T, bool>) {
        throw InternalError("scatter_add of bool");
      } else {
        for (std::int64_t tile = begin; tile < end; ++tile) {
          scatter_tile(spec, tiling, static_cast<const T*>(x), static_cast<const Index*>(indices),
                       static_cast<const T*>(updates), static_cast<T*>(result), tile);
        }
      }
    });
  });
}

}  // namespace tutti::kernels
