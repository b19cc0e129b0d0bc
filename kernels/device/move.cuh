#pragma once

#include "packs.cuh"
#include "types.cuh"

// Elements go from strided places of one buffer to strided places of another.

// A thread moves `width` neighbours of the result, which lie source_stride apart in the source.
// Spec: Element, Count, width, groups, source_stride, source(group) and result(group): the places
// of a group's first element.
template <class Spec>
__device__ void move_groups(const void* source, void* result, unsigned block, unsigned blocks) {
  using Element = typename Spec::Element;
  using Count = typename Spec::Count;
  using Group = Pack<Element, Spec::width>;
  const Element* from = static_cast<const Element*>(source);
  Element* to = static_cast<Element*>(result);
  const Count step = Count(blocks) * blockDim.x;
  for (Count group = Count(block) * blockDim.x + threadIdx.x; group < Spec::groups; group += step) {
    const Count first = Spec::source(group);
    Group elements;
    if constexpr (Spec::source_stride == 1) {
      elements = *reinterpret_cast<const Group*>(from + first);
    } else {
#pragma unroll
      for (int i = 0; i < Spec::width; ++i) {
        elements.at[i] = from[Count(first + i * Spec::source_stride)];
      }
    }
    *reinterpret_cast<Group*>(to + Spec::result(group)) = elements;
  }
}

// Transposes: columns are adjacent in the result, rows are in the source. A block moves squares of
// kSide x kSide elements through shared memory, so that both sides are read and written in whole
// lines. Spec: Element, Count, rows, columns, squares, source_stride (between columns),
// result_stride (between rows), source(matrix) and result(matrix).
inline constexpr int kSide = 32;

template <class Spec>
__device__ void move_squares(const void* source, void* result, unsigned block, unsigned blocks,
                             void* shared) {
  using Element = typename Spec::Element;
  using Count = typename Spec::Count;
  const Element* from = static_cast<const Element*>(source);
  Element* to = static_cast<Element*>(result);
  // One more than kSide: a column then lies in different banks.
  Element(*square)[kSide + 1] = static_cast<Element(*)[kSide + 1]>(shared);
  constexpr Count across = (Spec::columns + kSide - 1) / kSide;
  constexpr Count down = (Spec::rows + kSide - 1) / kSide;
  const int lane = threadIdx.x % kSide;
  const int line = threadIdx.x / kSide;
  const int lines = blockDim.x / kSide;
  for (Count at = block; at < Spec::squares; at += blocks) {
    const Count column = at % across * kSide;
    const Count row = at / across % down * kSide;
    const Count matrix = at / across / down;
    const Count first = Spec::source(matrix);
    for (int i = line; i < kSide; i += lines) {
      if (row + lane < Spec::rows && column + i < Spec::columns) {
        square[i][lane] = from[Count(first + (column + i) * Spec::source_stride + row + lane)];
      }
    }
    __syncthreads();
    const Count target = Spec::result(matrix);
    for (int i = line; i < kSide; i += lines) {
      if (row + i < Spec::rows && column + lane < Spec::columns) {
        to[Count(target + (row + i) * Spec::result_stride + column + lane)] = square[lane][i];
      }
    }
    __syncthreads();
  }
}
