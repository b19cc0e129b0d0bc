#include <tutti/ir/support/error.h>
#include <tutti/kernels/host/arg_reduce.h>
#include <tutti/kernels/host/instruction_set.h>
#include <tutti/kernels/host/narrow_arrays.h>
#include <tutti/kernels/host/row_tiling.h>

#include <array>

namespace tutti::kernels {

namespace {

// Elements of x that make a tile.
constexpr std::int64_t kArgReduceTile = 32 * 1024;
// Running leaders side by side. Loops over so many become vector code at -O2.
constexpr std::size_t kColumnLanes = 64;

RowTiling arg_reduce_tiling(const ArgReduce& spec) {
  if (spec.size <= 0) throw InternalError("argmax or argmin of an empty axis");
  constexpr auto kWidth = static_cast<std::int64_t>(kColumnLanes);
  const std::int64_t wanted = std::max<std::int64_t>(kArgReduceTile / spec.size, 1);
  return {spec.outer, spec.inner, whole_lanes(wanted, spec.inner, kWidth)};
}

// What elements are compared as, and the integer as wide, in which positions are counted: vector
// code mixes no widths.
template <class T>
struct Comparison {
  using type = T;
  using position = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
};
template <class T>
  requires is_narrow_float<T>
struct Comparison<T> {
  using type = float;
  using position = std::int32_t;
};

// Whether an element takes the lead from an earlier one. A NaN takes it from all but a NaN.
template <bool kLargest, class C>
TUTTI_INLINE inline bool leads(C challenger, C leader) {
  const bool better = kLargest ? challenger > leader : challenger < leader;
  if constexpr (std::is_floating_point_v<C>) {
    return (better | (challenger != challenger)) & (leader == leader);
  } else {
    return better;
  }
}

// kColumnLanes elements, as they are compared.
template <class T, class C>
TUTTI_INLINE inline void load_block(const T* from, std::array<C, kColumnLanes>& to) {
  if constexpr (std::is_same_v<T, C>) {
    std::copy_n(from, kColumnLanes, to.begin());
  } else {
    widen(from, to.data(), kColumnLanes);
  }
}

// The leaders of kColumnLanes sequences that lie side by side.
template <class C>
struct Leaders {
  std::array<C, kColumnLanes> values;
  std::array<std::int64_t, kColumnLanes> positions;
};

// Finds them; the sequences have `count` elements, `stride` apart.
template <bool kLargest, class T>
TUTTI_INLINE inline auto lead_lanes(const T* x, std::int64_t stride, std::int64_t count) {
  using C = typename Comparison<T>::type;
  using Position = typename Comparison<T>::position;
  constexpr std::int64_t kMostSteps = 1 << 30;  // that a Position counts
  Leaders<C> all;
  for (std::int64_t first = 0; first < count; first += kMostSteps) {
    const auto steps = static_cast<Position>(std::min(kMostSteps, count - first));
    std::array<C, kColumnLanes> values;
    std::array<Position, kColumnLanes> positions{};
    std::array<C, kColumnLanes> elements;
    load_block(x + first * stride, values);
    for (Position i = 1; i < steps; ++i) {
      load_block(x + (first + i) * stride, elements);
      for (std::size_t lane = 0; lane < kColumnLanes; ++lane) {
        const bool wins = leads<kLargest>(elements[lane], values[lane]);
        values[lane] = wins ? elements[lane] : values[lane];
        positions[lane] = wins ? i : positions[lane];
      }
    }
    for (std::size_t lane = 0; lane < kColumnLanes; ++lane) {
      if (first > 0 && !leads<kLargest>(values[lane], all.values[lane])) continue;
      all.values[lane] = values[lane];
      all.positions[lane] = first + positions[lane];
    }
  }
  return all;
}

// The leader of one sequence of any stride. Without branches: which element leads is unpredictable.
template <bool kLargest, class T>
TUTTI_INLINE inline std::int64_t lead_each(const T* x, std::int64_t stride, std::int64_t count) {
  using C = typename Comparison<T>::type;
  C leader = C(x[0]);
  std::int64_t best = 0;
  for (std::int64_t i = 1; i < count; ++i) {
    const C challenger = C(x[i * stride]);
    const bool wins = leads<kLargest>(challenger, leader);
    leader = wins ? challenger : leader;
    best = wins ? i : best;
  }
  return best;
}

// The same for fewer than kColumnLanes neighbouring elements.
template <bool kLargest, class T>
TUTTI_INLINE inline std::int64_t lead_few(const T* x, std::int64_t count) {
  using C = typename Comparison<T>::type;
  if constexpr (std::is_same_v<T, C>) {
    return lead_each<kLargest>(x, 1, count);
  } else {
    std::array<C, kColumnLanes> wide;
    widen(x, wide.data(), count);
    return lead_each<kLargest>(wide.data(), 1, count);
  }
}

// The leader of a dense sequence, which is taken for kColumnLanes sequences and the rest.
template <bool kLargest, class T>
TUTTI_INLINE inline std::int64_t lead_dense(const T* x, std::int64_t count) {
  using C = typename Comparison<T>::type;
  constexpr auto kStride = static_cast<std::int64_t>(kColumnLanes);
  const std::int64_t whole = count / kStride * kStride;
  if (whole == 0) return lead_few<kLargest>(x, count);
  const Leaders<C> lanes = lead_lanes<kLargest>(x, kStride, whole / kStride);
  C leader = lanes.values[0];
  std::int64_t best = lanes.positions[0] * kStride;
  const auto challenge = [&](C value, std::int64_t position) TUTTI_INLINE {
    const bool better = leads<kLargest>(value, leader);
    const bool same = !better & !leads<kLargest>(leader, value);
    const bool wins = better | (same & (position < best));
    leader = wins ? value : leader;
    best = wins ? position : best;
  };
  for (std::size_t lane = 1; lane < kColumnLanes; ++lane) {
    challenge(lanes.values[lane],
              lanes.positions[lane] * kStride + static_cast<std::int64_t>(lane));
  }
  if (whole < count) {
    const std::int64_t rest = whole + lead_few<kLargest>(x + whole, count - whole);
    challenge(C(x[rest]), rest);
  }
  return best;
}

// Rows of so few elements are taken kColumnLanes at a time, turned so that they lie side by side.
constexpr std::int64_t kMostInShortRow = 32;

template <bool kLargest, class T>
TUTTI_INLINE inline void lead_short_rows(const T* x, std::int64_t count, std::int64_t* to) {
  using C = typename Comparison<T>::type;
  constexpr auto kRows = static_cast<std::int64_t>(kColumnLanes);
  constexpr auto kMost = static_cast<std::size_t>(kMostInShortRow * kRows);
  std::array<C, kMost> turned;
  const auto turn = [&](const C* rows) TUTTI_INLINE {
    for (std::int64_t row = 0; row < kRows; ++row) {
      for (std::int64_t i = 0; i < count; ++i) {
        turned[static_cast<std::size_t>(i * kRows + row)] = rows[row * count + i];
      }
    }
  };
  if constexpr (std::is_same_v<T, C>) {
    turn(x);
  } else {
    std::array<C, kMost> wide;
    widen(x, wide.data(), kRows * count);
    turn(wide.data());
  }
  const auto leaders = lead_lanes<kLargest>(turned.data(), kRows, count);
  std::copy(leaders.positions.begin(), leaders.positions.end(), to);
}

template <bool kLargest, class T>
TUTTI_INLINE inline void reduce_tile(const ArgReduce& spec, const T* x, std::int64_t* result,
                                     const RowTiling::Tile& tile) {
  constexpr auto kWidth = static_cast<std::int64_t>(kColumnLanes);
  std::int64_t outer = tile.row_begin;
  const bool is_short = spec.inner == 1 && spec.size <= kMostInShortRow;
  for (; is_short && outer + kWidth <= tile.row_end; outer += kWidth) {
    lead_short_rows<kLargest>(x + outer * spec.size, spec.size, result + outer);
  }
  for (; outer < tile.row_end; ++outer) {
    const T* from = x + outer * spec.size * spec.inner;
    std::int64_t* to = result + outer * spec.inner;
    if (spec.inner == 1) {
      *to = lead_dense<kLargest>(from, spec.size);
      continue;
    }
    std::int64_t i = tile.column_begin;
    for (; i + kWidth <= tile.column_end; i += kWidth) {
      const auto leaders = lead_lanes<kLargest>(from + i, spec.inner, spec.size);
      std::copy(leaders.positions.begin(), leaders.positions.end(), to + i);
    }
    for (; i < tile.column_end; ++i) to[i] = lead_each<kLargest>(from + i, spec.inner, spec.size);
  }
}

template <bool kLargest>
void arg_reduce_rows(const ArgReduce& spec, const void* x, std::int64_t* result, std::int64_t begin,
                     std::int64_t end) {
  visit_dtype(spec.dtype, [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_same_v<T, bool>) {
      throw InternalError("argmax or argmin of bool");
    } else {
      for_each_tile(arg_reduce_tiling(spec), begin, end, [&](const RowTiling::Tile& tile) {
        run_vectorised([&]<int kBytes>() TUTTI_INLINE {
          reduce_tile<kLargest>(spec, static_cast<const T*>(x), result, tile);
        });
      });
    }
  });
}

}  // namespace

std::int64_t tiles(const ArgReduce& spec) { return arg_reduce_tiling(spec).tiles(); }

void run(const ArgReduce& spec, const void* x, std::int64_t* result, std::int64_t begin,
         std::int64_t end) {
  if (spec.largest) {
    arg_reduce_rows<true>(spec, x, result, begin, end);
  } else {
    arg_reduce_rows<false>(spec, x, result, begin, end);
  }
}

}  // namespace tutti::kernels
