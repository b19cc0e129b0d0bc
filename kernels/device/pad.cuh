#pragma once

#include "packs.cuh"

// An element of the result is one of the source or the fill value. Spec: Element (of the dtype, or
// several neighbours of it), Fill (of the dtype), Count, elements, and find(i, place), which says
// whether element i comes from the source, and from where.
template <class Spec>
__device__ void pad_elements(const void* source, const void* fill, void* result) {
  using Element = typename Spec::Element;
  using Fill = typename Spec::Fill;
  using Count = typename Spec::Count;
  constexpr int kFills = sizeof(Element) / sizeof(Fill);
  Pack<Fill, kFills> filled;
  for (int i = 0; i < kFills; ++i) filled.at[i] = *static_cast<const Fill*>(fill);
  const Element* from = static_cast<const Element*>(source);
  Element* to = static_cast<Element*>(result);
  const Count step = Count(gridDim.x) * blockDim.x;
  for (Count i = Count(blockIdx.x) * blockDim.x + threadIdx.x; i < Spec::elements; i += step) {
    Count place = 0;
    to[i] = Spec::find(i, place) ? from[place] : reinterpret_cast<const Element&>(filled);
  }
}
