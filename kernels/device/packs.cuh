#pragma once

#include "types.cuh"

// `n` neighbouring elements, moved by the widest instructions: 16 bytes where they are that long.
template <class T, int n>
struct alignas(sizeof(T) * n < 16 ? sizeof(T) * n : 16) Pack {
  T at[n];
};

template <int n, class T>
__device__ inline Pack<T, n> load(const T* from) {
  return *reinterpret_cast<const Pack<T, n>*>(from);
}

template <int n, class T>
__device__ inline void store(T* to, const Pack<T, n>& pack) {
  *reinterpret_cast<Pack<T, n>*>(to) = pack;
}

// The same where only the first `left` elements may exist.
template <int n, class T>
__device__ inline Pack<T, n> load(const T* from, i64 left) {
  if (left >= n) return load<n>(from);
  Pack<T, n> pack = {};
#pragma unroll
  for (int k = 0; k < n; ++k) {
    if (k < left) pack.at[k] = from[k];
  }
  return pack;
}

template <int n, class T>
__device__ inline void store(T* to, const Pack<T, n>& pack, i64 left) {
  if (left >= n) {
    store(to, pack);
    return;
  }
#pragma unroll
  for (int k = 0; k < n; ++k) {
    if (k < left) to[k] = pack.at[k];
  }
}
