#pragma once

#include "bits.cuh"
#include "narrow_floats.cuh"
#include "types.cuh"

// Sorting along an axis; tensors are [outer, size, inner] around it. An element's place is the
// number of those that come before it, equal ones in the order in which they stood: so it is
// stable, and the same every time.
//
// Spec: Element, Word (u32 or u64, for keys and indices), Count, descending, outer, size, inner and
// what the functions name.

// An unsigned integer that is ordered as the elements are: NaN is the largest, -0 equal to 0.
__device__ inline u32 sort_key(u8 x) { return x; }
__device__ inline u32 sort_key(u16 x) { return x; }
__device__ inline u32 sort_key(u32 x) { return x; }
__device__ inline u64 sort_key(u64 x) { return x; }
__device__ inline u32 sort_key(i32 x) { return u32(x) ^ 0x80000000U; }
__device__ inline u32 sort_key(i8 x) { return sort_key(i32(x)); }
__device__ inline u32 sort_key(i16 x) { return sort_key(i32(x)); }
__device__ inline u64 sort_key(i64 x) { return u64(x) ^ (u64(1) << 63); }
__device__ inline u32 sort_key(f32 x) {
  if (x != x) return ~0U;
  const u32 bits = x == 0 ? 0 : bits_as<u32>(x);
  return bits >> 31 != 0 ? ~bits : bits | 0x80000000U;
}
__device__ inline u64 sort_key(f64 x) {
  if (x != x) return ~u64(0);
  const u64 bits = x == 0 ? 0 : bits_as<u64>(x);
  return bits >> 63 != 0 ? ~bits : bits | u64(1) << 63;
}
__device__ inline u32 sort_key(f8_e4m3fn x) { return sort_key(widen(x)); }
__device__ inline u32 sort_key(f8_e5m2 x) { return sort_key(widen(x)); }
__device__ inline u32 sort_key(f16 x) { return sort_key(widen(x)); }
__device__ inline u32 sort_key(bf16 x) { return sort_key(widen(x)); }

template <class Spec>
__device__ typename Spec::Word key_in(typename Spec::Element x) {
  const auto key = sort_key(x);
  return typename Spec::Word(Spec::descending ? ~key : key);
}

// Where element j of row i lies.
template <class Spec>
__device__ typename Spec::Count place_of(typename Spec::Count i, typename Spec::Count j) {
  return (i / Spec::inner * Spec::size + j) * Spec::inner + i % Spec::inner;
}

// How many of `count` keys come before key number `own`.
template <class Word>
__device__ int count_before(const Word* keys, int count, int own) {
  const Word key = keys[own];
  int before = 0;
#pragma unroll 4
  for (int other = 0; other < count; ++other) {
    before += keys[other] < key || (keys[other] == key && other < own) ? 1 : 0;
  }
  return before;
}

// Short rows: a block has Spec::rows of them at a time.
template <class Spec>
__device__ void sort_rows(const typename Spec::Element* x, typename Spec::Element* values,
                          i64* indices) {
  using Count = typename Spec::Count;
  constexpr int size = int(Spec::size);
  constexpr Count all = Spec::outer * Spec::inner;
  __shared__ typename Spec::Word keys[Spec::rows * size];
  for (Count first = Count(blockIdx.x) * Spec::rows; first < all;
       first += Count(gridDim.x) * Spec::rows) {
    const int rows = all - first < Count(Spec::rows) ? int(all - first) : Spec::rows;
    // Neighbouring threads take what lies side by side.
    const auto row_of = [&](int i) { return Spec::inner > 1 ? i % rows : i / size; };
    const auto column_of = [&](int i) { return Spec::inner > 1 ? i / rows : i % size; };
    for (int i = threadIdx.x; i < rows * size; i += blockDim.x) {
      const int row = row_of(i), column = column_of(i);
      keys[row * size + column] =
          key_in<Spec>(x[place_of<Spec>(first + Count(row), Count(column))]);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < rows * size; i += blockDim.x) {
      const int row = row_of(i), column = column_of(i);
      const int before = count_before(keys + row * size, size, column);
      const Count to = place_of<Spec>(first + Count(row), Count(before));
      values[to] = x[place_of<Spec>(first + Count(row), Count(column))];
      indices[to] = column;
    }
    __syncthreads();
  }
}

// Longer rows are cut into runs of Spec::run elements. First each run is sorted by itself: `sorted`
// gets the keys of all rows, [outer * inner, size], and behind them the indices.
template <class Spec>
__device__ void sort_each_run(const typename Spec::Element* x, typename Spec::Word* sorted) {
  using Count = typename Spec::Count;
  using Word = typename Spec::Word;
  constexpr Count runs = (Spec::size + Spec::run - 1) / Spec::run;
  constexpr Count all = Spec::outer * Spec::inner;
  __shared__ Word keys[Spec::run];
  for (Count number = blockIdx.x; number < all * runs; number += gridDim.x) {
    const Count row = number / runs;
    const Count first = number % runs * Spec::run;
    const int count = Spec::size - first < Count(Spec::run) ? int(Spec::size - first) : Spec::run;
    for (int i = threadIdx.x; i < count; i += blockDim.x) {
      keys[i] = key_in<Spec>(x[place_of<Spec>(row, first + Count(i))]);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < count; i += blockDim.x) {
      const Count to = row * Spec::size + first + Count(count_before(keys, count, i));
      sorted[to] = keys[i];
      sorted[all * Spec::size + to] = Word(first + Count(i));
    }
    __syncthreads();
  }
}

// How many of `count` keys in ascending order are less than a key, or equal to it if `or_equal`.
template <class Word>
__device__ int count_less(const Word* keys, int count, Word key, bool or_equal) {
  int before = 0;
  int step = 1;
  while (2 * step <= count) step *= 2;
  for (; step > 0; step /= 2) {
    const int next = before + step;
    if (next <= count && (keys[next - 1] < key || (or_equal && keys[next - 1] == key))) {
      before = next;
    }
  }
  return before;
}

// Then an element's place is found by looking for it in every run of its row. A block has a run,
// Spec::run / blockDim.x elements a thread.
template <class Spec, int threads>
__device__ void merge_runs(const typename Spec::Element* x, const typename Spec::Word* sorted,
                           typename Spec::Element* values, i64* indices) {
  using Count = typename Spec::Count;
  using Word = typename Spec::Word;
  constexpr Count runs = (Spec::size + Spec::run - 1) / Spec::run;
  constexpr Count all = Spec::outer * Spec::inner;
  constexpr int own_count = Spec::run / threads;
  __shared__ Word keys[Spec::run];
  for (Count number = blockIdx.x; number < all * runs; number += gridDim.x) {
    const Count row = number / runs;
    const Count own_run = number % runs;
    const Word* in_row = sorted + row * Spec::size;
    Word own[own_count];
    Count before[own_count];
#pragma unroll
    for (int k = 0; k < own_count; ++k) {
      const Count at = own_run * Spec::run + Count(k * threads + int(threadIdx.x));
      own[k] = at < Spec::size ? in_row[at] : Word(0);
      before[k] = 0;
    }
    for (Count run = 0; run < runs; ++run) {
      const Count first = run * Spec::run;
      const int count = Spec::size - first < Count(Spec::run) ? int(Spec::size - first) : Spec::run;
      for (int i = threadIdx.x; i < count; i += threads) keys[i] = in_row[first + Count(i)];
      __syncthreads();
#pragma unroll
      for (int k = 0; k < own_count; ++k) {
        // In its own run an element has its place; equal ones of runs before come first.
        before[k] += run == own_run ? Count(k * threads + int(threadIdx.x))
                                    : Count(count_less(keys, count, own[k], run < own_run));
      }
      __syncthreads();
    }
#pragma unroll
    for (int k = 0; k < own_count; ++k) {
      const Count at = own_run * Spec::run + Count(k * threads + int(threadIdx.x));
      if (at >= Spec::size) continue;
      const Count from = Count(in_row[all * Spec::size + at]);
      const Count to = place_of<Spec>(row, before[k]);
      values[to] = x[place_of<Spec>(row, from)];
      indices[to] = i64(from);
    }
  }
}
