#include <tutti/ir/arithmetic.h>
#include <tutti/ir/support/error.h>
#include <tutti/kernels/host/cumulative.h>
#include <tutti/kernels/host/instruction_set.h>
#include <tutti/kernels/host/row_tiling.h>
#include <tutti/kernels/host/running.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <type_traits>

namespace tutti::kernels {

namespace {

using ir::ScalarOp;

// Elements that make a tile.
constexpr std::int64_t kCumulativeTile = 32 * 1024;
// Parts of a sequence that a tile goes through at once: each waits for its own last result alone.
constexpr std::int64_t kPartsAtOnce = 4;
// Sequences for the same; more that began a power of two apart would share sets of the cache.
constexpr std::int64_t kSequencesAtOnce = 2;

RowTiling cumulative_tiling(const Cumulative& spec) {
  const std::int64_t size = std::max<std::int64_t>(spec.size, 1);
  // Long ones, too, are gone through together, as long as there are tiles enough.
  constexpr std::int64_t kTiles = 32;
  const bool are_many = spec.inner == 1 && spec.outer >= kTiles * kSequencesAtOnce;
  const std::int64_t wanted = std::max(kCumulativeTile / size, are_many ? kSequencesAtOnce : 1);
  return {spec.outer, spec.inner, whole_lanes(wanted, spec.inner, kCumulativeWidth)};
}

// How each sequence is divided, in the order in which it is gone through.
struct SequenceDivision {
  std::int64_t parts = 1;   // 1: it is not
  std::int64_t length = 0;  // of a part; the last one's may be less

  // Tiles have kPartsAtOnce parts of all sequences of an outer index.
  std::int64_t groups() const { return divide_up(parts, kPartsAtOnce); }
};

SequenceDivision sequence_division(const Cumulative& spec) {
  // Enough tiles for many threads, and as many as are wanted if there are not enough.
  constexpr std::int64_t kEnough = 16;
  constexpr std::int64_t kWanted = 64;
  if (spec.size * spec.outer * spec.inner == 0) return {};
  if (is_floating(spec.dtype) && spec.combine == ScalarOp::mul) return {};
  if (cumulative_tiling(spec).tiles() >= kEnough) return {};
  // The combinations of parts are gone through once for each tile: not too many of a short one.
  const auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(spec.size)));
  const std::int64_t most =
      std::min({kPartsAtOnce * divide_up(kWanted, spec.outer),
                spec.size / divide_up(kCumulativeTile / kPartsAtOnce, spec.inner), root});
  if (most < 2 * kPartsAtOnce) return {};
  std::int64_t length = divide_up(spec.size, most);
  // Parts that began a power of two apart would share sets of the cache.
  constexpr std::int64_t kApart = 128;
  if (length >= 16 * kApart) length = length / kApart * kApart + kApart / 2 * 3;
  return {.parts = divide_up(spec.size, length), .length = length};
}

// One sequence, or what is left of it behind `total`; its elements are `step` apart.
template <ScalarOp combine, class S, class T>
void run_each(const T* x, T* result, std::int64_t step, std::int64_t count, S total) {
  for (std::int64_t i = 0; i < count; ++i) {
    total = combined<combine>(total, wide_element<S>(x[i * step]));
    result[i * step] = rounded_element<T>(total);
  }
}

// So many sequences, or parts of one, which begin `apart` elements apart, behind `totals`.
template <ScalarOp combine, class S, class T, std::size_t kCount>
void run_at_once(const T* x, T* result, std::int64_t step, std::int64_t apart, std::int64_t count,
                 std::array<S, kCount> totals) {
  for (std::int64_t i = 0; i < count; ++i) {
    const T* const from = x + i * step;
    T* const to = result + i * step;
#pragma GCC unroll 4
    for (std::size_t k = 0; k < kCount; ++k) {
      const T each = from[static_cast<std::int64_t>(k) * apart];
      totals[k] = combined<combine>(totals[k], wide_element<S>(each));
    }
#pragma GCC unroll 4
    for (std::size_t k = 0; k < kCount; ++k) {
      to[static_cast<std::int64_t>(k) * apart] = rounded_element<T>(totals[k]);
    }
  }
}

// Neighbouring sequences.
template <ScalarOp combine, class S, class T>
TUTTI_INLINE inline void run_lanes(const T* x, T* result, std::int64_t step, std::int64_t count,
                                   RunningLanes<S> totals) {
  RunningLanes<S> wide;
  for (std::int64_t i = 0; i < count; ++i) {
    load_lanes(x + i * step, wide);
    combine_lanes<combine>(totals, wide);
    store_lanes(totals, result + i * step);
  }
}

// The tiles of one combination of elements of type T.
template <class T, ScalarOp combine>
class CumulativeTiles {
 public:
  using S = typename Running<T, combine>::type;

  explicit CumulativeTiles(const Cumulative& spec)
      : spec_(spec),
        division_(sequence_division(spec)),
        step_(spec.reverse ? -spec.inner : spec.inner),
        first_(spec.reverse ? (spec.size - 1) * spec.inner : 0) {}

  // Whole sequences.
  TUTTI_INLINE void run_whole(const T* x, T* result, const RowTiling::Tile& tile) const {
    RunningLanes<S> none;
    none.fill(kNone);
    std::array<S, kSequencesAtOnce> none_of_each;
    none_of_each.fill(kNone);
    const auto run_some = [&](std::int64_t base, std::int64_t apart) {
      run_at_once<combine>(x + base, result + base, step_, apart, spec_.size, none_of_each);
    };
    std::int64_t outer = tile.row_begin;
    for (; spec_.inner == 1 && outer + kSequencesAtOnce <= tile.row_end;
         outer += kSequencesAtOnce) {
      run_some(base_of(outer), spec_.size);
    }
    for (; outer < tile.row_end; ++outer) {
      const std::int64_t base = base_of(outer);
      std::int64_t i = tile.column_begin;
      for (; i + kCumulativeWidth <= tile.column_end; i += kCumulativeWidth) {
        run_lanes<combine>(x + base + i, result + base + i, step_, spec_.size, none);
      }
      for (; i + kSequencesAtOnce <= tile.column_end; i += kSequencesAtOnce) run_some(base + i, 1);
      for (; i < tile.column_end; ++i) {
        run_each<combine>(x + base + i, result + base + i, step_, spec_.size, kNone);
      }
    }
  }

  // The combinations of a part: [outer, parts - 1, inner], since nobody asks for the last.
  TUTTI_INLINE void combine_part(const T* x, S* parts, std::int64_t number) const {
    const std::int64_t part = number % (division_.parts - 1);
    const T* const from =
        x + base_of(number / (division_.parts - 1)) + part * division_.length * step_;
    S* const to = parts + number * spec_.inner;
    if (spec_.inner == 1) {
      to[0] = combination_of_run(spec_.reverse ? from - (division_.length - 1) : from);
      return;
    }
    std::int64_t i = 0;
    RunningLanes<S> wide;
    for (; i + kCumulativeWidth <= spec_.inner; i += kCumulativeWidth) {
      RunningLanes<S> totals;
      totals.fill(kNone);
      for (std::int64_t j = 0; j < division_.length; ++j) {
        load_lanes(from + i + j * step_, wide);
        combine_lanes<combine>(totals, wide);
      }
      std::ranges::copy(totals, to + i);
    }
    for (; i < spec_.inner; ++i) {
      S total = kNone;
      for (std::int64_t j = 0; j < division_.length; ++j) {
        total = combined<combine>(total, wide_element<S>(from[i + j * step_]));
      }
      to[i] = total;
    }
  }

  // A group of parts of all sequences of an outer index, behind the parts before it.
  TUTTI_INLINE void run_group(const T* x, const S* parts, T* result, std::int64_t number) const {
    const std::int64_t outer = number / division_.groups();
    const std::int64_t begin = number % division_.groups() * kPartsAtOnce;
    const std::int64_t end = std::min(begin + kPartsAtOnce, division_.parts);
    const S* const before = parts + outer * (division_.parts - 1) * spec_.inner;
    const std::int64_t base = base_of(outer) + begin * division_.length * step_;
    std::int64_t i = 0;
    RunningLanes<S> next;
    for (; i + kCumulativeWidth <= spec_.inner; i += kCumulativeWidth) {
      RunningLanes<S> totals;
      totals.fill(kNone);
      for (std::int64_t part = 0; part < end; ++part) {
        if (part >= begin) {
          const std::int64_t at = base + (part - begin) * division_.length * step_ + i;
          run_lanes<combine>(x + at, result + at, step_, length_of(part), totals);
        }
        if (part + 1 == end) break;
        std::copy_n(before + part * spec_.inner + i, kCumulativeLanes, next.begin());
        combine_lanes<combine>(totals, next);
      }
    }
    for (; i < spec_.inner; ++i) {
      run_sequence(x + base + i, result + base + i, before + i, begin, end);
    }
  }

 private:
  static constexpr S kNone = combination_of_none<combine, S>();

  // Where the sequences of an outer index begin.
  std::int64_t base_of(std::int64_t outer) const {
    return outer * spec_.size * spec_.inner + first_;
  }
  std::int64_t length_of(std::int64_t part) const {
    return std::min(division_.length, spec_.size - part * division_.length);
  }

  // Of so many elements side by side as a part has, in an order that this number gives.
  TUTTI_INLINE S combination_of_run(const T* x) const {
    RunningLanes<S> totals;
    totals.fill(kNone);
    RunningLanes<S> wide;
    std::int64_t i = 0;
    for (; i + kCumulativeWidth <= division_.length; i += kCumulativeWidth) {
      load_lanes(x + i, wide);
      combine_lanes<combine>(totals, wide);
    }
    S total = kNone;
    for (const S each : totals) total = combined<combine>(total, each);
    for (; i < division_.length; ++i) total = combined<combine>(total, wide_element<S>(x[i]));
    return total;
  }

  // The parts [begin, end) of one sequence. `before`: the combinations of its parts, in steps of
  // spec_.inner.
  void run_sequence(const T* x, T* result, const S* before, std::int64_t begin,
                    std::int64_t end) const {
    std::array<S, kPartsAtOnce> totals{};
    S total = kNone;
    for (std::int64_t part = 0; part < end; ++part) {
      if (part >= begin) totals[static_cast<std::size_t>(part - begin)] = total;
      if (part + 1 < end) total = combined<combine>(total, before[part * spec_.inner]);
    }
    const std::int64_t apart = division_.length * step_;
    // The last part of all may be shorter.
    if (end - begin == kPartsAtOnce && length_of(end - 1) == division_.length) {
      return run_at_once<combine>(x, result, step_, apart, division_.length, totals);
    }
    for (std::int64_t part = begin; part < end; ++part) {
      const std::int64_t at = (part - begin) * apart;
      run_each<combine>(x + at, result + at, step_, length_of(part),
                        totals[static_cast<std::size_t>(part - begin)]);
    }
  }

  const Cumulative& spec_;
  const SequenceDivision division_;
  const std::int64_t step_;
  const std::int64_t first_;  // where the first element of all lies
};

// Calls f(tiles) with the CumulativeTiles of a spec, and their type of element.
template <class F>
void visit_tiles(const Cumulative& spec, F&& f) {
  visit_dtype(spec.dtype, [&]<class T>(std::type_identity<T> element) {
    if constexpr (std::is_same_v<T, bool>) {
      throw InternalError("a running reduction of bool");
    } else {
      switch (spec.combine) {
        case ScalarOp::add:
          return f(CumulativeTiles<T, ScalarOp::add>(spec), element);
        case ScalarOp::mul:
          return f(CumulativeTiles<T, ScalarOp::mul>(spec), element);
        case ScalarOp::maximum:
          return f(CumulativeTiles<T, ScalarOp::maximum>(spec), element);
        case ScalarOp::minimum:
          return f(CumulativeTiles<T, ScalarOp::minimum>(spec), element);
        default:
          throw InternalError("no running reduction by " + std::string(ir::name_of(spec.combine)));
      }
    }
  });
}

}  // namespace

std::int64_t cumulative_parts_bytes(const Cumulative& spec) {
  const std::int64_t parts = sequence_division(spec).parts - 1;
  if (parts == 0) return 0;
  std::int64_t bytes = 0;
  visit_tiles(spec, [&]<class Tiles>(const Tiles&, auto) {
    bytes = spec.outer * parts * spec.inner * std::int64_t{sizeof(typename Tiles::S)};
  });
  return bytes;
}

std::int64_t tiles(const CumulativeParts& spec) {
  return spec.cumulative.outer * (sequence_division(spec.cumulative).parts - 1);
}

std::int64_t tiles(const Cumulative& spec) {
  if (spec.size == 0) return 0;
  const SequenceDivision division = sequence_division(spec);
  return division.parts == 1 ? cumulative_tiling(spec).tiles() : spec.outer * division.groups();
}

void run(const CumulativeParts& spec, const void* x, void* parts, std::int64_t begin,
         std::int64_t end) {
  visit_tiles(spec.cumulative, [&]<class Tiles, class T>(const Tiles& of, std::type_identity<T>) {
    run_vectorised([&]<int kBytes>() TUTTI_INLINE {
      for (std::int64_t number = begin; number < end; ++number) {
        of.combine_part(static_cast<const T*>(x), static_cast<typename Tiles::S*>(parts), number);
      }
    });
  });
}

void run(const Cumulative& spec, const void* x, const void* parts, void* result, std::int64_t begin,
         std::int64_t end) {
  const bool is_divided = sequence_division(spec).parts > 1;
  const RowTiling tiling = cumulative_tiling(spec);
  visit_tiles(spec, [&]<class Tiles, class T>(const Tiles& of, std::type_identity<T>) {
    run_vectorised([&]<int kBytes>() TUTTI_INLINE {
      const T* const from = static_cast<const T*>(x);
      T* const to = static_cast<T*>(result);
      for (std::int64_t number = begin; number < end; ++number) {
        if (is_divided) {
          of.run_group(from, static_cast<const typename Tiles::S*>(parts), to, number);
        } else {
          of.run_whole(from, to, tiling.tile(number));
        }
      }
    });
  });
}

}  // namespace tutti::kernels
