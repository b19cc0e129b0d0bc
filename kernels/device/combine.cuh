#pragma once

#include "types.cuh"

// Combinations of a value of each thread. All threads get the result; the order is fixed, and
// `combine` has to be commutative, so that it is the same result.

// What the lane that differs in the bit `step` has. Shuffles know types of 4 and 8 bytes.
template <class T>
__device__ inline T from_lane(T value, int step) {
  if constexpr (sizeof(T) < 4) {
    return static_cast<T>(__shfl_xor_sync(0xFFFFFFFFU, static_cast<i32>(value), step));
  } else {
    return __shfl_xor_sync(0xFFFFFFFFU, value, step);
  }
}

// Of each group of `width` neighbouring lanes, a power of two. All lanes of the warp take part.
template <int width, class T, class Combine>
__device__ inline T combine_lanes(T value, Combine combine) {
#pragma unroll
  for (int step = width / 2; step > 0; step /= 2) value = combine(value, from_lane(value, step));
  return value;
}

// Of a block of threads along x, a power of two and more than a warp. `parts` is shared memory for
// threads / 32 values that nothing else uses.
template <int threads, class T, class Combine>
__device__ inline T combine_block(T value, T* parts, Combine combine) {
  constexpr int warps = threads / 32;
  value = combine_lanes<32>(value, combine);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
  __syncthreads();
  return combine_lanes<warps>(parts[threadIdx.x % warps], combine);
}

// Of the threads of a block that have the same threadIdx.x, `height` of them along y, a power of
// two. `parts` is shared memory for a value of each thread that nothing else uses.
template <int width, int height, class T, class Combine>
__device__ inline T combine_column(T value, T* parts, Combine combine) {
  T* const own = parts + threadIdx.y * width + threadIdx.x;
  *own = value;
  __syncthreads();
#pragma unroll
  for (int step = height / 2; step > 0; step /= 2) {
    if (threadIdx.y < step) *own = combine(*own, own[step * width]);
    __syncthreads();
  }
  return parts[threadIdx.x];
}
