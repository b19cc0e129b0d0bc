#pragma once

#include "packs.cuh"
#include "types.cuh"

// Indexing by data. Tensors are [outer, size, inner] around the indexed axis.

// An index of any integer type, forced into [0, size).
template <class Count, class Index>
__device__ Count clamped(Index index, Count size) {
  if (index < Index(0)) return 0;
  return static_cast<u64>(index) < static_cast<u64>(size) ? static_cast<Count>(index) : size - 1;
}

// result[o, j, i] = x[o, clamped(indices[j]), i]. Spec: Element (several neighbours where rows
// allow it), Index, Count, outer, size, inner, count.
template <class Spec>
__device__ void take_rows(const void* x, const void* indices, void* result) {
  using Element = typename Spec::Element;
  using Count = typename Spec::Count;
  const Element* from = static_cast<const Element*>(x);
  const auto* index = static_cast<const typename Spec::Index*>(indices);
  Element* to = static_cast<Element*>(result);
  constexpr Count elements = Spec::outer * Spec::count * Spec::inner;
  const Count step = Count(gridDim.x) * blockDim.x;
  for (Count i = Count(blockIdx.x) * blockDim.x + threadIdx.x; i < elements; i += step) {
    const Count row = i / Spec::inner;
    const Count outer = row / Spec::count;
    const Count taken = clamped<Count>(index[row % Spec::count], Spec::size);
    to[i] = from[(outer * Spec::size + taken) * Spec::inner + i % Spec::inner];
  }
}

// result[o, j, i] = x[o, clamped(indices[o, j, i]), i]. Spec as for take_rows.
template <class Spec>
__device__ void take_elements(const void* x, const void* indices, void* result) {
  using Element = typename Spec::Element;
  using Count = typename Spec::Count;
  const Element* from = static_cast<const Element*>(x);
  const auto* index = static_cast<const typename Spec::Index*>(indices);
  Element* to = static_cast<Element*>(result);
  constexpr Count elements = Spec::outer * Spec::count * Spec::inner;
  const Count step = Count(gridDim.x) * blockDim.x;
  for (Count i = Count(blockIdx.x) * blockDim.x + threadIdx.x; i < elements; i += step) {
    const Count outer = i / Spec::inner / Spec::count;
    const Count taken = clamped<Count>(index[i], Spec::size);
    to[i] = from[(outer * Spec::size + taken) * Spec::inner + i % Spec::inner];
  }
}
