#pragma once

#include "computed.cuh"
#include "packs.cuh"
#include "types.cuh"

// result = x, then result[o, indices[j], i] += updates[o, j, i] for j = 0, 1, ...; tensors are
// [outer, size, inner] around the indexed axis. Each element gets its updates in that order and is
// rounded after each, so that the bits are the same every time, and the host's. `result` may be x.
//
// Spec: Element, Index, Count, width (neighbours along inner that a thread has), outer, size,
// inner, count, and what the functions name. inner is a multiple of width.

template <class Element, int width>
__device__ void add_group(Pack<Element, width>& to, const Pack<Element, width>& update) {
  typedef Computed<Element> C;
#pragma unroll
  for (int i = 0; i < width; ++i) {
    to.at[i] = C::to(C::from(to.at[i]) + C::from(update.at[i]));
  }
}

// The row that an index names; one that is out of range becomes Spec::size.
template <class Spec>
__device__ typename Spec::Count row_of(typename Spec::Index index) {
  using Count = typename Spec::Count;
  const bool inside = index >= 0 && u64(index) < u64(Spec::size);
  return inside ? Count(index) : Spec::size;
}

// For few indices: each thread has a group of neighbours in one row and looks at all of them.
template <class Spec>
__device__ void scatter_add_few(const void* x, const void* indices, const void* updates,
                                void* result) {
  using Count = typename Spec::Count;
  using Group = Pack<typename Spec::Element, Spec::width>;
  const Group* from = static_cast<const Group*>(x);
  const auto* index = static_cast<const typename Spec::Index*>(indices);
  const Group* update = static_cast<const Group*>(updates);
  Group* to = static_cast<Group*>(result);
  constexpr Count across = Spec::inner / Spec::width;
  constexpr Count groups = Spec::outer * Spec::size * across;
  const Count step = Count(gridDim.x) * blockDim.x;
  for (Count i = Count(blockIdx.x) * blockDim.x + threadIdx.x; i < groups; i += step) {
    const Count row = i / across % Spec::size;
    const Count outer = i / across / Spec::size;
    Group sums = from[i];
    for (Count j = 0; j < Spec::count; ++j) {
      if (row_of<Spec>(index[j]) != row) continue;
      add_group(sums, update[(outer * Spec::count + j) * across + i % across]);
    }
    to[i] = sums;
  }
}

// For many indices: a block has a range of rows and of columns. It collects, in order, the indices
// that fall into its rows; when it has many, or all, its warps add them, each to some of the rows
// and to 32 groups of neighbours there. Spec also: rows and columns (groups) of a block,
// row_blocks and column_blocks.
inline constexpr int kBlockThreads = 512;
inline constexpr int kBlockWarps = kBlockThreads / 32;
inline constexpr int kAhead = 8;  // updates that a thread loads before it adds them

// The indices that a block has collected.
template <class Count>
struct Collected {
  static constexpr int loads = 16 / sizeof(Count);  // of a thread at a time
  static constexpr int round = loads * kBlockThreads;
  static constexpr int capacity = 2 * round;

  Count numbers[capacity];
  u32 rows[capacity];  // in the block's range
  int of_warps[kBlockWarps];
};

// Collects from indices [first, first + round) those of the rows [row, row + rows). `have` is how
// many there are already; returns how many there are then.
template <class Spec>
__device__ int collect(const typename Spec::Index* indices, typename Spec::Count first,
                       typename Spec::Count row, typename Spec::Count rows, int have,
                       Collected<typename Spec::Count>& collected) {
  using Count = typename Spec::Count;
  constexpr int loads = Collected<Count>::loads;
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const Count own = first + Count(warp * 32 * loads + lane);  // a warp's indices are neighbours
  Count found[loads];
  u32 inside[loads];
  int count = 0;
#pragma unroll
  for (int i = 0; i < loads; ++i) {
    const Count j = own + 32 * i;
    found[i] = j < Spec::count ? row_of<Spec>(indices[j]) : Spec::size;
  }
#pragma unroll
  for (int i = 0; i < loads; ++i) {
    inside[i] = __ballot_sync(0xFFFFFFFFU, found[i] >= row && found[i] - row < rows);
    count += __popc(inside[i]);
  }
  if (lane == 0) collected.of_warps[warp] = count;
  __syncthreads();
  int all = have;
  for (int i = 0; i < kBlockWarps; ++i) {
    if (i == warp) have = all;
    all += collected.of_warps[i];
  }
#pragma unroll
  for (int i = 0; i < loads; ++i) {
    if ((inside[i] >> lane & 1U) != 0) {
      const int at = have + __popc(inside[i] & ((1U << lane) - 1));
      collected.numbers[at] = own + 32 * i;
      collected.rows[at] = u32(found[i] - row);
    }
    have += __popc(inside[i]);
  }
  __syncthreads();
  return all;
}

// Adds what was collected for a row to one group of neighbours there, `to`. Its value before is in
// `from`; where that is `to`, a group without updates is left alone. The lanes of a warp call this
// together, for neighbouring groups of a row; those without one have `used` false. `updates` is
// where update 0 has the group.
template <class Spec, class Group>
__device__ void add_collected(const Collected<typename Spec::Count>& collected, int count, u32 row,
                              bool used, const Group* from, const Group* updates, Group* to) {
  using Count = typename Spec::Count;
  constexpr Count across = Spec::inner / Spec::width;
  const int lane = threadIdx.x % 32;
  bool changes = from != to;
  Group sums;
  if (changes && used) sums = *from;
  for (int first = 0; first < count; first += 32) {
    const bool is_one = first + lane < count;
    const Count number = is_one ? collected.numbers[first + lane] : 0;
    u32 hits = __ballot_sync(0xFFFFFFFFU, is_one && collected.rows[first + lane] == row);
    if (hits != 0 && !changes) {
      if (used) sums = *from;
      changes = true;
    }
    while (hits != 0) {
      Group loaded[kAhead];
      const int hit_count = __popc(hits);
#pragma unroll
      for (int i = 0; i < kAhead; ++i) {
        const Count j = __shfl_sync(0xFFFFFFFFU, number, (__ffs(hits) - 1) & 31);
        if (i < hit_count && used) loaded[i] = updates[j * across];
        hits &= hits - 1;
      }
#pragma unroll
      for (int i = 0; i < kAhead; ++i) {
        if (i < hit_count && used) add_group(sums, loaded[i]);
      }
    }
  }
  if (changes && used) *to = sums;
}

template <class Spec>
__device__ void scatter_add_many(const void* x, const void* indices, const void* updates,
                                 void* result) {
  using Count = typename Spec::Count;
  using Group = Pack<typename Spec::Element, Spec::width>;
  __shared__ Collected<Count> collected;
  const auto* index = static_cast<const typename Spec::Index*>(indices);
  constexpr Count across = Spec::inner / Spec::width;
  constexpr Count parts = Spec::outer * Spec::row_blocks * Spec::column_blocks;
  for (Count part = blockIdx.x; part < parts; part += gridDim.x) {
    const Count column = part % Spec::column_blocks * Spec::columns;
    const Count row = part / Spec::column_blocks % Spec::row_blocks * Spec::rows;
    const Count outer = part / Spec::column_blocks / Spec::row_blocks;
    const Count end = column + Spec::columns < across ? column + Spec::columns : across;
    const Count rows = row + Spec::rows < Spec::size ? Spec::rows : Spec::size - row;
    const Count strips = (end - column + 31) / 32;

    const Count place = (outer * Spec::size + row) * across;
    Group* to = static_cast<Group*>(result) + place;
    const Group* from = static_cast<const Group*>(x) + place;
    const Group* updates_here = static_cast<const Group*>(updates) + outer * Spec::count * across;
    bool copied = from == to;
    int have = 0;
    for (Count next = 0; next < Spec::count || !copied;) {
      if (next < Spec::count) {
        have = collect<Spec>(index, next, row, rows, have, collected);
        next += Collected<Count>::round;
        if (next < Spec::count && have <= Collected<Count>::round) continue;
      }
      for (Count strip = threadIdx.x / 32; strip < rows * strips; strip += kBlockWarps) {
        const Count own_row = strip / strips;
        const Count own = column + strip % strips * 32 + threadIdx.x % 32;
        const Count at = own_row * across + own;
        add_collected<Spec>(collected, have, u32(own_row), own < end, copied ? to + at : from + at,
                            updates_here + own, to + at);
      }
      copied = true;
      have = 0;
      __syncthreads();
    }
  }
}
