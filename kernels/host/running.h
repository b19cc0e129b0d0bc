#pragma once

#include <tutti/ir/dtype.h>
#include <tutti/ir/scalar.h>
#include <tutti/kernels/host/instruction_set.h>
#include <tutti/kernels/host/narrow_arrays.h>

#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace tutti::kernels {

// How elements are combined one after another: what they are widened to, and rounded from.

// Sequences side by side. Loops over so many become vector code at -O2.
inline constexpr std::size_t kCumulativeLanes = 64;
inline constexpr auto kCumulativeWidth = static_cast<std::int64_t>(kCumulativeLanes);

// What elements are combined in: sums and products of integers wrap.
template <class T, ir::ScalarOp combine>
struct Running {
  using type = T;
};
template <std::integral T, ir::ScalarOp combine>
  requires(combine == ir::ScalarOp::add || combine == ir::ScalarOp::mul)
struct Running<T, combine> {
  // Products of narrower ones would be promoted to int, and overflow.
  using type = std::conditional_t<(sizeof(T) < 4), std::uint32_t, std::make_unsigned_t<T>>;
};
template <class T, ir::ScalarOp combine>
  requires(!std::integral<T> && (is_narrow_float<T> || combine == ir::ScalarOp::add))
struct Running<T, combine> {
  using type = std::conditional_t<combine == ir::ScalarOp::add, double, float>;
};

template <ir::ScalarOp combine, class S>
TUTTI_INLINE inline S combined(S total, S x) {
  if constexpr (combine == ir::ScalarOp::add) {
    return static_cast<S>(total + x);
  } else if constexpr (combine == ir::ScalarOp::mul) {
    return static_cast<S>(total * x);
  } else {
    const bool larger = combine == ir::ScalarOp::maximum ? total < x : x < total;
    if constexpr (std::is_floating_point_v<S>) {
      // Without jumps: zeros of both signs are equal, and of the two the total may give way.
      const bool gives_way =
          larger || (total == x && std::signbit(combine == ir::ScalarOp::maximum ? total : x));
      const S extreme = gives_way ? x : total;
      const S sum = total + x;
      return sum != sum && (total != total || x != x) ? sum : extreme;
    } else {
      return larger ? x : total;
    }
  }
}

// The combination of no elements.
template <ir::ScalarOp combine, class S>
constexpr S combination_of_none() {
  if constexpr (combine == ir::ScalarOp::add) {
    return std::is_floating_point_v<S> ? static_cast<S>(-0.0) : S{0};  // -0 keeps a first -0
  } else if constexpr (combine == ir::ScalarOp::mul) {
    return S{1};
  } else {
    using Limits = std::numeric_limits<S>;
    const S most = Limits::has_infinity ? Limits::infinity() : Limits::max();
    const S least = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    return combine == ir::ScalarOp::maximum ? least : most;
  }
}

template <class S>
using RunningLanes = std::array<S, kCumulativeLanes>;

template <class S, class T>
TUTTI_INLINE inline void load_lanes(const T* from, RunningLanes<S>& to) {
  if constexpr (is_narrow_float<T>) {
    RunningLanes<float> wide;
    widen(from, wide.data(), kCumulativeWidth);
    for (std::size_t lane = 0; lane < kCumulativeLanes; ++lane) to[lane] = S(wide[lane]);
  } else {
    for (std::size_t lane = 0; lane < kCumulativeLanes; ++lane) {
      to[lane] = static_cast<S>(from[lane]);
    }
  }
}

template <class S, class T>
TUTTI_INLINE inline void store_lanes(const RunningLanes<S>& from, T* to) {
  if constexpr (is_narrow_float<T>) {
    RunningLanes<float> wide;
    for (std::size_t lane = 0; lane < kCumulativeLanes; ++lane) {
      wide[lane] = static_cast<float>(from[lane]);
    }
    narrow(wide.data(), to, kCumulativeWidth);
  } else {
    for (std::size_t lane = 0; lane < kCumulativeLanes; ++lane) {
      to[lane] = static_cast<T>(from[lane]);
    }
  }
}

template <ir::ScalarOp combine, class S>
TUTTI_INLINE inline void combine_lanes(RunningLanes<S>& totals, const RunningLanes<S>& x) {
  for (std::size_t lane = 0; lane < kCumulativeLanes; ++lane) {
    totals[lane] = combined<combine>(totals[lane], x[lane]);
  }
}

template <class S>
TUTTI_INLINE inline S wide_element(auto x) {
  if constexpr (is_narrow_float<decltype(x)>) {
    return static_cast<S>(float(x));
  } else {
    return static_cast<S>(x);
  }
}

template <class T, class S>
TUTTI_INLINE inline T rounded_element(S total) {
  if constexpr (is_narrow_float<T>) {
    return T(static_cast<float>(total));
  } else {
    return static_cast<T>(total);
  }
}

}  // namespace tutti::kernels
