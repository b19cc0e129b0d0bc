#include <tutti/ir/support/error.h>
#include <tutti/kernels/host/cumsum.h>
#include <tutti/kernels/host/half_arrays.h>
#include <tutti/kernels/host/instruction_set.h>
#include <tutti/kernels/host/row_tiling.h>

#include <array>
#include <type_traits>

namespace tutti::kernels {

namespace {

// Elements that make a tile.
constexpr std::int64_t kCumSumTile = 32 * 1024;
// Sums side by side. Loops over so many become vector code at -O2.
constexpr std::size_t kSumLanes = 64;

RowTiling cumsum_tiling(const CumSum& spec) {
  const std::int64_t size = std::max<std::int64_t>(spec.size, 1);
  return {spec.outer, spec.inner, std::max<std::int64_t>(kCumSumTile / size, 1)};
}

// What elements add up in: unsigned integers wrap.
template <class T>
struct RunningSum {
  using type = T;
};
template <std::integral T>
struct RunningSum<T> {
  using type = std::make_unsigned_t<T>;
};
template <>
struct RunningSum<Float16> {
  using type = float;
};
template <>
struct RunningSum<BFloat16> {
  using type = float;
};

template <class T>
constexpr bool is_half = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;

// The sum of nothing; -0 keeps a first element of -0.
template <class S>
constexpr S kNothing = std::is_floating_point_v<S> ? S(-0.0) : S(0);

// One sequence; its elements are `step` apart.
template <class T>
void sum_each(const T* x, T* result, std::int64_t step, std::int64_t count) {
  using S = typename RunningSum<T>::type;
  S total = kNothing<S>;
  for (std::int64_t i = 0; i < count; ++i) {
    total = static_cast<S>(total + static_cast<S>(x[i * step]));
    result[i * step] = static_cast<T>(total);
  }
}

// kLanes neighbouring sequences.
template <class T>
TUTTI_INLINE inline void sum_lanes(const T* x, T* result, std::int64_t step, std::int64_t count) {
  using S = typename RunningSum<T>::type;
  std::array<S, kSumLanes> totals;
  totals.fill(kNothing<S>);
  std::array<S, kSumLanes> wide;
  for (std::int64_t i = 0; i < count; ++i) {
    const T* const from = x + i * step;
    T* const to = result + i * step;
    if constexpr (is_half<T>) {
      widen(from, wide.data(), kSumLanes);
      for (std::size_t lane = 0; lane < kSumLanes; ++lane) totals[lane] += wide[lane];
      narrow(totals.data(), to, kSumLanes);
    } else {
      for (std::size_t lane = 0; lane < kSumLanes; ++lane) {
        totals[lane] = static_cast<S>(totals[lane] + static_cast<S>(from[lane]));
      }
      for (std::size_t lane = 0; lane < kSumLanes; ++lane) to[lane] = static_cast<T>(totals[lane]);
    }
  }
}

template <class T>
TUTTI_INLINE inline void sum_tile(const CumSum& spec, const T* x, T* result,
                                  const RowTiling::Tile& tile) {
  constexpr auto kWidth = static_cast<std::int64_t>(kSumLanes);
  const std::int64_t step = spec.reverse ? -spec.inner : spec.inner;
  const std::int64_t first = spec.reverse ? (spec.size - 1) * spec.inner : 0;
  for (std::int64_t outer = tile.row_begin; outer < tile.row_end; ++outer) {
    const std::int64_t base = outer * spec.size * spec.inner + first;
    std::int64_t i = tile.column_begin;
    for (; i + kWidth <= tile.column_end; i += kWidth) {
      sum_lanes(x + base + i, result + base + i, step, spec.size);
    }
    for (; i < tile.column_end; ++i) sum_each(x + base + i, result + base + i, step, spec.size);
  }
}

}  // namespace

std::int64_t tiles(const CumSum& spec) { return spec.size == 0 ? 0 : cumsum_tiling(spec).tiles(); }

void run(const CumSum& spec, const void* x, void* result, std::int64_t begin, std::int64_t end) {
  visit_dtype(spec.dtype, [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_same_v<T, bool>) {
      throw InternalError("cumsum of bool");
    } else {
      for_each_tile(cumsum_tiling(spec), begin, end, [&](const RowTiling::Tile& tile) {
        run_vectorised([&]<int kBytes>() TUTTI_INLINE {
          sum_tile(spec, static_cast<const T*>(x), static_cast<T*>(result), tile);
        });
      });
    }
  });
}

}  // namespace tutti::kernels
