#pragma once

#include "computed.cuh"
#include "types.cuh"

// c[matrix] = a[matrix] * b[matrix], row-major and dense, by blocks that keep squares of a and b in
// shared memory. Strides are in elements and may be anything.
//
// Spec: Element, Sum (what is added up), Count, matrices, m, n, k, a_row, a_column, b_row, b_column
// (strides), a(matrix) and b(matrix) (where the matrices start), and finish(sum, column, bias),
// which makes an element of c.
inline constexpr int kTile = 64;   // rows and columns of c that a block computes
inline constexpr int kDepth = 16;  // along k, at a time
inline constexpr int kPerThread =
    4;  // rows and columns of c that a thread computes, kThreads apart
inline constexpr int kThreads = kTile / kPerThread;

__device__ inline f32 multiply_add(f32 x, f32 y, f32 sum) { return fmaf(x, y, sum); }
__device__ inline f64 multiply_add(f64 x, f64 y, f64 sum) { return fma(x, y, sum); }
__device__ inline u32 multiply_add(u32 x, u32 y, u32 sum) { return x * y + sum; }
__device__ inline u64 multiply_add(u64 x, u64 y, u64 sum) { return x * y + sum; }

// Loads kTile lines of a matrix that begins at `start`, kDepth elements along k of each; zeros
// where there are none. Places are added up modulo 2^32 or 2^64, so that strides may be negative.
// kAlong: neighbours along k are adjacent in memory, else those of different lines are.
template <bool kAlong, class Sum, class Element, class Count>
__device__ void load_lines(const Element* from, Count start, Count line, Count lines,
                           Count line_stride, Count depth, Count k, Count stride,
                           Sum (*to)[kTile + 1]) {
  for (int i = threadIdx.x; i < kTile * kDepth; i += blockDim.x) {
    const int at = kAlong ? i / kDepth : i % kTile;
    const int deep = kAlong ? i % kDepth : i / kTile;
    Sum value = Sum(0);
    if (line + at < lines && depth + deep < k) {
      value = static_cast<Sum>(Computed<Element>::from(
          from[Count(start + (line + at) * line_stride + (depth + deep) * stride)]));
    }
    to[deep][at] = value;
  }
}

// What an epilogue may do.
__device__ inline f32 gelu_tanh(f32 x) {
  return 0.5f * x * (1.0f + tanhf(0.7978845608028654f * (x + 0.044715f * (x * x * x))));
}
__device__ inline f64 gelu_tanh(f64 x) {
  return 0.5 * x * (1.0 + tanh(0.7978845608028654 * (x + 0.044715 * (x * x * x))));
}

template <class Spec>
__device__ void multiply(const void* a_buffer, const void* b_buffer, const void* bias_buffer,
                         void* result) {
  using Element = typename Spec::Element;
  using Count = typename Spec::Count;
  using Sum = typename Spec::Sum;
  const Element* a = static_cast<const Element*>(a_buffer);
  const Element* b = static_cast<const Element*>(b_buffer);
  const Element* bias = static_cast<const Element*>(bias_buffer);
  Element* c = static_cast<Element*>(result);
  __shared__ Sum a_tile[kDepth][kTile + 1];
  __shared__ Sum b_tile[kDepth][kTile + 1];
  constexpr Count across = (Spec::n + kTile - 1) / kTile;
  constexpr Count down = (Spec::m + kTile - 1) / kTile;
  const int x = threadIdx.x % kThreads;
  const int y = threadIdx.x / kThreads;
  for (Count tile = blockIdx.x; tile < across * down * Spec::matrices; tile += gridDim.x) {
    const Count column = tile % across * kTile;
    const Count row = tile / across % down * kTile;
    const Count matrix = tile / across / down;
    Sum sums[kPerThread][kPerThread] = {};
    for (Count depth = 0; depth < Spec::k; depth += kDepth) {
      load_lines<Spec::a_column == 1>(a, Spec::a(matrix), row, Spec::m, Spec::a_row, depth, Spec::k,
                                      Spec::a_column, a_tile);
      load_lines<Spec::b_row == 1>(b, Spec::b(matrix), column, Spec::n, Spec::b_column, depth,
                                   Spec::k, Spec::b_row, b_tile);
      __syncthreads();
#pragma unroll
      for (int l = 0; l < kDepth; ++l) {
        Sum lines[kPerThread], columns[kPerThread];
#pragma unroll
        for (int i = 0; i < kPerThread; ++i) {
          lines[i] = a_tile[l][y + i * kThreads];
          columns[i] = b_tile[l][x + i * kThreads];
        }
#pragma unroll
        for (int i = 0; i < kPerThread; ++i) {
#pragma unroll
          for (int j = 0; j < kPerThread; ++j) {
            sums[i][j] = multiply_add(lines[i], columns[j], sums[i][j]);
          }
        }
      }
      __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < kPerThread; ++i) {
#pragma unroll
      for (int j = 0; j < kPerThread; ++j) {
        const Count at_row = row + y + i * kThreads;
        const Count at = column + x + j * kThreads;
        if (at_row >= Spec::m || at >= Spec::n) continue;
        c[(matrix * Spec::m + at_row) * Spec::n + at] = Spec::finish(sums[i][j], at, bias);
      }
    }
  }
}

// Does to a product, in place, what multiply() does to its sums in the end.
template <class Spec>
__device__ void finish_all(const void* bias_buffer, void* product) {
  using Element = typename Spec::Element;
  using Count = typename Spec::Count;
  const Element* bias = static_cast<const Element*>(bias_buffer);
  Element* c = static_cast<Element*>(product);
  for (Count i = Count(blockIdx.x) * blockDim.x + threadIdx.x; i < Spec::elements;
       i += Count(gridDim.x) * blockDim.x) {
    const typename Spec::Sum sum = Computed<Element>::from(c[i]);
    c[i] = Spec::finish(sum, i % Spec::n, bias);
  }
}
