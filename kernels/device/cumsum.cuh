#pragma once

#include "computed.cuh"
#include "types.cuh"

// Running sums along an axis; tensors are [outer, size, inner] around it. The order of the
// additions follows from the shape, so that the bits are the same every time.
//
// Spec: Element, Sum (what elements add up in: f32 or f64, or u32 or u64, which wrap), Count,
// reverse, outer, size, inner and nothing(): the sum of nothing, which is -0 where there is one.

template <class Spec>
__device__ typename Spec::Sum addend(typename Spec::Element x) {
  return typename Spec::Sum(Computed<typename Spec::Element>::from(x));
}
template <class Spec>
__device__ typename Spec::Element rounded_sum(typename Spec::Sum sum) {
  typedef Computed<typename Spec::Element> C;
  return C::to(typename C::type(sum));
}

// Where the j-th element to be added of sequence i lies.
template <class Spec>
__device__ typename Spec::Count place_in(typename Spec::Count i, typename Spec::Count j) {
  const typename Spec::Count along = Spec::reverse ? Spec::size - 1 - j : j;
  return (i / Spec::inner * Spec::size + along) * Spec::inner + i % Spec::inner;
}

// A thread for each sequence: neighbouring threads read neighbouring elements.
template <class Spec>
__device__ void cumsum_by_threads(const typename Spec::Element* x, typename Spec::Element* result) {
  using Count = typename Spec::Count;
  const Count step = Count(gridDim.x) * blockDim.x;
  for (Count i = Count(blockIdx.x) * blockDim.x + threadIdx.x; i < Spec::outer * Spec::inner;
       i += step) {
    typename Spec::Sum total = Spec::nothing();
#pragma unroll 4
    for (Count j = 0; j < Spec::size; ++j) {
      const Count at = place_in<Spec>(i, j);
      total += addend<Spec>(x[at]);
      result[at] = rounded_sum<Spec>(total);
    }
  }
}

// A block for each sequence, of which it takes `kSummed` elements a thread at a time.
inline constexpr int kSummed = 4;

template <class Spec>
__device__ void cumsum_by_blocks(const typename Spec::Element* x, typename Spec::Element* result) {
  using Count = typename Spec::Count;
  using Sum = typename Spec::Sum;
  __shared__ Sum of_warps[32];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const int warps = blockDim.x / 32;
  for (Count i = blockIdx.x; i < Spec::outer * Spec::inner; i += gridDim.x) {
    Sum before = Spec::nothing();  // of all tiles before this one
    for (Count tile = 0; tile < Spec::size; tile += blockDim.x * kSummed) {
      const Count first = tile + threadIdx.x * kSummed;
      Sum own[kSummed];
#pragma unroll
      for (int k = 0; k < kSummed; ++k) {
        own[k] = first + k < Spec::size ? addend<Spec>(x[place_in<Spec>(i, first + k)])
                                        : Spec::nothing();
        if (k > 0) own[k] += own[k - 1];
      }
      // Of the lanes up to this one.
      Sum total = own[kSummed - 1];
#pragma unroll
      for (int distance = 1; distance < 32; distance *= 2) {
        const Sum other = __shfl_up_sync(0xFFFFFFFFU, total, distance);
        if (lane >= distance) total += other;
      }
      if (lane == 31) of_warps[warp] = total;
      Sum start = __shfl_up_sync(0xFFFFFFFFU, total, 1);
      if (lane == 0) start = Spec::nothing();
      __syncthreads();
      Sum of_block = before;
      for (int other = 0; other < warps; ++other) {
        if (other == warp) start += of_block;
        of_block += of_warps[other];
      }
      before = of_block;
      __syncthreads();
#pragma unroll
      for (int k = 0; k < kSummed; ++k) {
        if (first + k < Spec::size) {
          result[place_in<Spec>(i, first + k)] = rounded_sum<Spec>(start + own[k]);
        }
      }
    }
  }
}
