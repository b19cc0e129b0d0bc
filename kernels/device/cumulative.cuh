#pragma once

#include "bits.cuh"
#include "computed.cuh"
#include "extremes.cuh"
#include "types.cuh"

// Running reductions along an axis; tensors are [outer, size, inner] around it. The order of the
// combinations follows from the shape, so that the bits are the same every time.
//
// Spec: Element, Running (what elements are combined in: f32 or f64, or integers of 32 or 64 bits,
// unsigned where they wrap), Count, reverse, outer, size, inner, combine(x, y), and nothing(): what
// changes nothing that it is combined with.

template <class Spec>
__device__ typename Spec::Running widened_element(typename Spec::Element x) {
  return typename Spec::Running(Computed<typename Spec::Element>::from(x));
}
template <class Spec>
__device__ typename Spec::Element rounded_element(typename Spec::Running value) {
  typedef Computed<typename Spec::Element> C;
  return C::to(typename C::type(value));
}

// Where the j-th element of sequence i lies, in the order in which they are combined.
template <class Spec>
__device__ typename Spec::Count place_in(typename Spec::Count i, typename Spec::Count j) {
  const typename Spec::Count along = Spec::reverse ? Spec::size - 1 - j : j;
  return (i / Spec::inner * Spec::size + along) * Spec::inner + i % Spec::inner;
}

// A thread for each sequence: neighbouring threads read neighbouring elements.
template <class Spec>
__device__ void cumulative_by_threads(const typename Spec::Element* x,
                                      typename Spec::Element* result) {
  using Count = typename Spec::Count;
  const Count step = Count(gridDim.x) * blockDim.x;
  for (Count i = Count(blockIdx.x) * blockDim.x + threadIdx.x; i < Spec::outer * Spec::inner;
       i += step) {
    typename Spec::Running total = Spec::nothing();
#pragma unroll 4
    for (Count j = 0; j < Spec::size; ++j) {
      const Count at = place_in<Spec>(i, j);
      total = Spec::combine(total, widened_element<Spec>(x[at]));
      result[at] = rounded_element<Spec>(total);
    }
  }
}

// A block for each sequence, of which it takes `kCombined` elements a thread at a time.
inline constexpr int kCombined = 4;

template <class Spec>
__device__ void cumulative_by_blocks(const typename Spec::Element* x,
                                     typename Spec::Element* result) {
  using Count = typename Spec::Count;
  using Running = typename Spec::Running;
  __shared__ Running of_warps[32];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const int warps = blockDim.x / 32;
  for (Count i = blockIdx.x; i < Spec::outer * Spec::inner; i += gridDim.x) {
    Running before = Spec::nothing();  // of all tiles before this one
    for (Count tile = 0; tile < Spec::size; tile += blockDim.x * kCombined) {
      const Count first = tile + threadIdx.x * kCombined;
      Running own[kCombined];
#pragma unroll
      for (int k = 0; k < kCombined; ++k) {
        own[k] = first + k < Spec::size ? widened_element<Spec>(x[place_in<Spec>(i, first + k)])
                                        : Spec::nothing();
        if (k > 0) own[k] = Spec::combine(own[k - 1], own[k]);
      }
      // Of the lanes up to this one.
      Running total = own[kCombined - 1];
#pragma unroll
      for (int distance = 1; distance < 32; distance *= 2) {
        const Running other = __shfl_up_sync(0xFFFFFFFFU, total, distance);
        if (lane >= distance) total = Spec::combine(other, total);
      }
      if (lane == 31) of_warps[warp] = total;
      Running start = __shfl_up_sync(0xFFFFFFFFU, total, 1);
      if (lane == 0) start = Spec::nothing();
      __syncthreads();
      Running of_block = before;
      for (int other = 0; other < warps; ++other) {
        if (other == warp) start = Spec::combine(of_block, start);
        of_block = Spec::combine(of_block, of_warps[other]);
      }
      before = of_block;
      __syncthreads();
#pragma unroll
      for (int k = 0; k < kCombined; ++k) {
        if (first + k < Spec::size) {
          result[place_in<Spec>(i, first + k)] =
              rounded_element<Spec>(Spec::combine(start, own[k]));
        }
      }
    }
  }
}
