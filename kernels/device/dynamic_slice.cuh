#pragma once

#include "index.cuh"
#include "types.cuh"

// Parts of a tensor that begin where data says. Spec: Element (several neighbours where parts allow
// it), Index, Count, rank, elements, read(starts, first), which puts the part's first place in each
// dimension into first[rank], and what the functions name.

// result = the part of x. Spec: place(i, first), where element i of the part lies.
template <class Spec>
__device__ void take_part(const void* x, const void* starts, void* result) {
  using Element = typename Spec::Element;
  using Count = typename Spec::Count;
  const Element* from = static_cast<const Element*>(x);
  Element* to = static_cast<Element*>(result);
  Count first[Spec::rank];
  Spec::read(static_cast<const typename Spec::Index*>(starts), first);
  const Count step = Count(gridDim.x) * blockDim.x;
  for (Count i = Count(blockIdx.x) * blockDim.x + threadIdx.x; i < Spec::elements; i += step) {
    to[i] = from[Spec::place(i, first)];
  }
}

// result = x with `update` in place of the part. Spec: find(i, first, place), which says whether
// element i of x is in the part, and where the update has it.
template <class Spec>
__device__ void put_part(const void* x, const void* update, const void* starts, void* result) {
  using Element = typename Spec::Element;
  using Count = typename Spec::Count;
  const Element* from = static_cast<const Element*>(x);
  const Element* with = static_cast<const Element*>(update);
  Element* to = static_cast<Element*>(result);
  Count first[Spec::rank];
  Spec::read(static_cast<const typename Spec::Index*>(starts), first);
  const Count step = Count(gridDim.x) * blockDim.x;
  for (Count i = Count(blockIdx.x) * blockDim.x + threadIdx.x; i < Spec::elements; i += step) {
    Count place = 0;
    to[i] = Spec::find(i, first, place) ? with[place] : from[i];
  }
}
