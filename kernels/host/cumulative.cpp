#include <tutti/ir/support/error.h>
#include <tutti/kernels/host/cumulative.h>
#include <tutti/kernels/host/instruction_set.h>
#include <tutti/kernels/host/narrow_arrays.h>
#include <tutti/kernels/host/row_tiling.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

namespace tutti::kernels {

namespace {

using ir::ScalarOp;

// Elements that make a tile.
constexpr std::int64_t kCumulativeTile = 32 * 1024;
// Sequences side by side. Loops over so many become vector code at -O2.
constexpr std::size_t kCumulativeLanes = 64;

RowTiling cumulative_tiling(const Cumulative& spec) {
  constexpr auto kWidth = static_cast<std::int64_t>(kCumulativeLanes);
  const std::int64_t size = std::max<std::int64_t>(spec.size, 1);
  const std::int64_t wanted = std::max<std::int64_t>(kCumulativeTile / size, 1);
  return {spec.outer, spec.inner, whole_lanes(wanted, spec.inner, kWidth)};
}

// What elements are combined in: sums and products of integers wrap.
template <class T, ScalarOp combine>
struct Running {
  using type = T;
};
template <std::integral T, ScalarOp combine>
  requires(combine == ScalarOp::add || combine == ScalarOp::mul)
struct Running<T, combine> {
  // Products of narrower ones would be promoted to int, and overflow.
  using type = std::conditional_t<(sizeof(T) < 4), std::uint32_t, std::make_unsigned_t<T>>;
};
template <class T, ScalarOp combine>
  requires is_narrow_float<T>
struct Running<T, combine> {
  using type = float;
};

template <ScalarOp combine, class S>
TUTTI_INLINE inline S combined(S total, S x) {
  if constexpr (combine == ScalarOp::add) {
    return static_cast<S>(total + x);
  } else if constexpr (combine == ScalarOp::mul) {
    return static_cast<S>(total * x);
  } else {
    const bool larger = combine == ScalarOp::maximum ? total < x : x < total;
    if constexpr (std::is_floating_point_v<S>) {
      // Without jumps: zeros of both signs are equal, and of the two the total may give way.
      const bool gives_way =
          larger || (total == x && std::signbit(combine == ScalarOp::maximum ? total : x));
      const S extreme = gives_way ? x : total;
      const S sum = total + x;
      return sum != sum && (total != total || x != x) ? sum : extreme;
    } else {
      return larger ? x : total;
    }
  }
}

// One sequence; its elements are `step` apart.
template <ScalarOp combine, class T>
void run_each(const T* x, T* result, std::int64_t step, std::int64_t count) {
  using S = typename Running<T, combine>::type;
  if (count == 0) return;
  S total = static_cast<S>(x[0]);
  result[0] = x[0];
  for (std::int64_t i = 1; i < count; ++i) {
    total = combined<combine>(total, static_cast<S>(x[i * step]));
    result[i * step] = static_cast<T>(total);
  }
}

// Neighbouring sequences.
template <ScalarOp combine, class T>
TUTTI_INLINE inline void run_lanes(const T* x, T* result, std::int64_t step, std::int64_t count) {
  using S = typename Running<T, combine>::type;
  std::array<S, kCumulativeLanes> totals;
  std::array<S, kCumulativeLanes> wide;
  for (std::int64_t i = 0; i < count; ++i) {
    const T* const from = x + i * step;
    T* const to = result + i * step;
    if constexpr (is_narrow_float<T>) {
      widen(from, wide.data(), kCumulativeLanes);
    } else {
      for (std::size_t lane = 0; lane < kCumulativeLanes; ++lane) {
        wide[lane] = static_cast<S>(from[lane]);
      }
    }
    if (i == 0) {
      totals = wide;
    } else {
      for (std::size_t lane = 0; lane < kCumulativeLanes; ++lane) {
        totals[lane] = combined<combine>(totals[lane], wide[lane]);
      }
    }
    if constexpr (is_narrow_float<T>) {
      narrow(totals.data(), to, kCumulativeLanes);
    } else {
      for (std::size_t lane = 0; lane < kCumulativeLanes; ++lane) {
        to[lane] = static_cast<T>(totals[lane]);
      }
    }
  }
}

template <ScalarOp combine, class T>
TUTTI_INLINE inline void run_tile(const Cumulative& spec, const T* x, T* result,
                                  const RowTiling::Tile& tile) {
  constexpr auto kWidth = static_cast<std::int64_t>(kCumulativeLanes);
  const std::int64_t step = spec.reverse ? -spec.inner : spec.inner;
  const std::int64_t first = spec.reverse ? (spec.size - 1) * spec.inner : 0;
  for (std::int64_t outer = tile.row_begin; outer < tile.row_end; ++outer) {
    const std::int64_t base = outer * spec.size * spec.inner + first;
    std::int64_t i = tile.column_begin;
    for (; i + kWidth <= tile.column_end; i += kWidth) {
      run_lanes<combine>(x + base + i, result + base + i, step, spec.size);
    }
    for (; i < tile.column_end; ++i) {
      run_each<combine>(x + base + i, result + base + i, step, spec.size);
    }
  }
}

template <ScalarOp combine>
void run_tiles(const Cumulative& spec, const void* x, void* result, std::int64_t begin,
               std::int64_t end) {
  visit_dtype(spec.dtype, [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_same_v<T, bool>) {
      throw InternalError("a running reduction of bool");
    } else {
      for_each_tile(cumulative_tiling(spec), begin, end, [&](const RowTiling::Tile& tile) {
        run_vectorised([&]<int kBytes>() TUTTI_INLINE {
          run_tile<combine>(spec, static_cast<const T*>(x), static_cast<T*>(result), tile);
        });
      });
    }
  });
}

}  // namespace

std::int64_t tiles(const Cumulative& spec) {
  return spec.size == 0 ? 0 : cumulative_tiling(spec).tiles();
}

void run(const Cumulative& spec, const void* x, void* result, std::int64_t begin,
         std::int64_t end) {
  switch (spec.combine) {
    case ScalarOp::add:
      return run_tiles<ScalarOp::add>(spec, x, result, begin, end);
    case ScalarOp::mul:
      return run_tiles<ScalarOp::mul>(spec, x, result, begin, end);
    case ScalarOp::maximum:
      return run_tiles<ScalarOp::maximum>(spec, x, result, begin, end);
    case ScalarOp::minimum:
      return run_tiles<ScalarOp::minimum>(spec, x, result, begin, end);
    default:
      throw InternalError("no running reduction by " + std::string(ir::name_of(spec.combine)));
  }
}

}  // namespace tutti::kernels
