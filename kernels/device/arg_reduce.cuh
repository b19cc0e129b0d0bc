#pragma once

#include "computed.cuh"
#include "types.cuh"

// The position of the largest or smallest element along an axis: the first of equal ones, and the
// first NaN if there is one.

// An element in the lead, as what it is compared.
template <class Spec>
struct Leader {
  using Count = typename Spec::Count;
  static constexpr Count kNowhere = ~Count(0);  // the position of nothing

  typename Spec::Compared value;
  Count position;

  // Whether the element at a later position takes over. A NaN takes over from all but a NaN.
  __device__ bool yields(typename Spec::Compared challenger) const {
    const bool better = Spec::largest ? challenger > value : challenger < value;
    return (better || challenger != challenger) && value == value;
  }
  // Meets the leader of other elements, whose positions may be any.
  __device__ void meet(const Leader& other) {
    if (other.position == kNowhere) return;
    const bool takes = position == kNowhere || yields(other.value);
    const bool same = !takes && !other.yields(value) && other.position < position;
    if (takes || same) *this = other;
  }
  __device__ void meet_lane(int distance) {
    Leader other;
    other.value = __shfl_xor_sync(0xFFFFFFFFU, value, distance);
    other.position = __shfl_xor_sync(0xFFFFFFFFU, position, distance);
    meet(other);
  }
};

// The leader of the elements first, first + step, ... of a sequence.
template <class Spec>
__device__ Leader<Spec> lead(const typename Spec::Element* x, typename Spec::Count first,
                             typename Spec::Count step) {
  using Count = typename Spec::Count;
  const auto compared = Computed<typename Spec::Element>::from;
  Leader<Spec> leader = {typename Spec::Compared(), Leader<Spec>::kNowhere};
  if (first >= Spec::size) return leader;
  leader = {compared(x[first * Spec::inner]), first};
#pragma unroll 4
  for (Count i = first + step; i < Spec::size; i += step) {
    const auto challenger = compared(x[i * Spec::inner]);
    if (leader.yields(challenger)) leader = {challenger, i};
  }
  return leader;
}

// The sequence that result i is of; its elements are Spec::inner apart.
template <class Spec>
__device__ const typename Spec::Element* sequence(const typename Spec::Element* x,
                                                  typename Spec::Count i) {
  return x + (i / Spec::inner * Spec::size * Spec::inner + i % Spec::inner);
}

// Spec: Element, Compared, Count, largest, outer, size, inner; x is [outer, size, inner]. A thread
// for each result: neighbouring threads read neighbouring elements.
template <class Spec>
__device__ void arg_reduce_by_threads(const typename Spec::Element* x, i64* result) {
  using Count = typename Spec::Count;
  const Count step = Count(gridDim.x) * blockDim.x;
  for (Count i = Count(blockIdx.x) * blockDim.x + threadIdx.x; i < Spec::outer * Spec::inner;
       i += step) {
    result[i] = i64(lead<Spec>(sequence<Spec>(x, i), 0, 1).position);
  }
}

// A warp for each result.
template <class Spec>
__device__ void arg_reduce_by_warps(const typename Spec::Element* x, i64* result) {
  using Count = typename Spec::Count;
  const Count warps = Count(gridDim.x) * blockDim.x / 32;
  const Count warp = (Count(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
  for (Count i = warp; i < Spec::outer * Spec::inner; i += warps) {
    Leader<Spec> leader = lead<Spec>(sequence<Spec>(x, i), threadIdx.x % 32, 32);
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) leader.meet_lane(distance);
    if (threadIdx.x % 32 == 0) result[i] = i64(leader.position);
  }
}

// A block for each result.
template <class Spec>
__device__ void arg_reduce_by_blocks(const typename Spec::Element* x, i64* result) {
  using Count = typename Spec::Count;
  __shared__ typename Spec::Compared values[32];
  __shared__ Count positions[32];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const int warps = blockDim.x / 32;
  for (Count i = blockIdx.x; i < Spec::outer * Spec::inner; i += gridDim.x) {
    Leader<Spec> leader = lead<Spec>(sequence<Spec>(x, i), threadIdx.x, blockDim.x);
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) leader.meet_lane(distance);
    if (lane == 0) {
      values[warp] = leader.value;
      positions[warp] = leader.position;
    }
    __syncthreads();
    if (warp == 0) {
      leader.position = Leader<Spec>::kNowhere;
      if (lane < warps) leader = {values[lane], positions[lane]};
#pragma unroll
      for (int distance = 16; distance > 0; distance /= 2) leader.meet_lane(distance);
      if (lane == 0) result[i] = i64(leader.position);
    }
    __syncthreads();
  }
}
