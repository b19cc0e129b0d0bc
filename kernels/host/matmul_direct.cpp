#include <tutti/kernels/host/add_lanes.h>
#include <tutti/kernels/host/instruction_set.h>
#include <tutti/kernels/host/matmul_product.h>
#include <tutti/kernels/host/per_thread.h>
#include <tutti/kernels/host/scratch.h>

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

// Products that are over before others have copied their operands: those of a few thousand
// multiplications, and those of a vector, which read each element once. Bits do not depend on the
// width of the vectors.
namespace tutti::kernels {

namespace {

constexpr std::int64_t kMostWork = 16 << 10;  // multiplications
constexpr std::int64_t kFewResults = 4;
constexpr std::int64_t kLongDot = 512;
constexpr int kRowsAtOnce = 4;  // of results at a time
constexpr int kFewColumns = 8;

// Signed integers are multiplied as unsigned ones, since they wrap.
template <class T, bool = std::is_integral_v<T>>
struct Wrapping {
  using type = std::make_unsigned_t<T>;
};
template <class T>
struct Wrapping<T, false> {
  using type = T;
};

// One operand is a vector along k, and the other one's elements are adjacent along k.
bool has_vector_along_depth(const Product& p) {
  constexpr std::int64_t kLeastDepth = 16;  // shorter ones are no vectors
  return (p.m == 1 || p.n == 1) && p.k >= kLeastDepth && p.a_column_stride == 1 &&
         p.b_row_stride == 1;
}

// Narrow integers would become signed ones, which do not wrap.
template <class T>
TUTTI_INLINE inline T times(T x, T y) {
  if constexpr (std::is_integral_v<T> && sizeof(T) < sizeof(unsigned)) {
    return static_cast<T>(unsigned{x} * unsigned{y});
  } else {
    return x * y;
  }
}

// ---- Sums over k in order, some rows and one or two vectors of columns at a time.

template <class T, int kBytes, int kVectors, int kCount>
TUTTI_INLINE inline void add_products(const T* a, std::int64_t a_row_stride,
                                      std::int64_t a_column_stride, const T* b,
                                      std::int64_t b_row_stride, std::int64_t depth, T* block) {
  constexpr int kLanes = kBytes / static_cast<int>(sizeof(T));
  typedef T Vector [[gnu::vector_size(kBytes)]];
  Vector sums[kCount][kVectors] = {};
  for (std::int64_t l = 0; l < depth; ++l, a += a_column_stride, b += b_row_stride) {
    Vector line[kVectors];
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) std::memcpy(&line[v], b + v * kLanes, sizeof(Vector));
#pragma GCC unroll 4
    for (int row = 0; row < kCount; ++row) {
      const Vector factor = a[row * a_row_stride] - Vector{};  // in every lane
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) sums[row][v] += factor * line[v];
    }
  }
  std::memcpy(block, sums, sizeof(sums));
}

template <class T>
void store_block(const T* block, std::int64_t width, std::int64_t rows, std::int64_t columns,
                 bool accumulate, T* c, std::int64_t c_row_stride) {
  for (std::int64_t row = 0; row < rows; ++row, c += c_row_stride, block += width) {
    if (!accumulate) {
      std::memcpy(c, block, static_cast<std::size_t>(columns) * sizeof(T));
      continue;
    }
    for (std::int64_t j = 0; j < columns; ++j) c[j] = static_cast<T>(c[j] + block[j]);
  }
}

template <class T, int kBytes, int kVectors>
TUTTI_INLINE inline void multiply_columns(const Product& p, const T* a, const T* b,
                                          std::int64_t b_row_stride, std::int64_t columns, T* c) {
  constexpr std::int64_t kWidth = kVectors * kBytes / static_cast<std::int64_t>(sizeof(T));
  alignas(64) T block[kRowsAtOnce * kWidth];
  for (std::int64_t row = 0; row < p.m;) {
    const std::int64_t rows = std::min<std::int64_t>(kRowsAtOnce, p.m - row);
    const T* const from = a + row * p.a_row_stride;
    const auto add = [&]<int kCount>(std::integral_constant<int, kCount>) TUTTI_INLINE {
      add_products<T, kBytes, kVectors, kCount>(from, p.a_row_stride, p.a_column_stride, b,
                                                b_row_stride, p.k, block);
    };
    if (rows == kRowsAtOnce) {
      add(std::integral_constant<int, kRowsAtOnce>());
    } else if (rows == 3) {
      add(std::integral_constant<int, 3>());
    } else if (rows == 2) {
      add(std::integral_constant<int, 2>());
    } else {
      add(std::integral_constant<int, 1>());
    }
    store_block(block, kWidth, rows, columns, p.accumulate, c + row * p.c_row_stride,
                p.c_row_stride);
    row += rows;
  }
}

template <class T, int kBytes, int kVectors>
TUTTI_INLINE inline void multiply_some_columns(const Product& p, const T* a, const T* b,
                                               std::int64_t columns, T* c) {
  constexpr std::int64_t kWidth = kVectors * kBytes / static_cast<std::int64_t>(sizeof(T));
  if (columns == kWidth && p.b_column_stride == 1) {
    multiply_columns<T, kBytes, kVectors>(p, a, b, p.b_row_stride, columns, c);
    return;
  }
  // A copy whose rows are whole vectors.
  constinit thread_local PerThread<Scratch> scratch;
  const auto memory = scratch.get().use<T>(p.k * kWidth);
  T* to = memory.get();
  for (std::int64_t l = 0; l < p.k; ++l, to += kWidth) {
    const T* const line = b + l * p.b_row_stride;
    for (std::int64_t i = 0; i < columns; ++i) to[i] = line[i * p.b_column_stride];
    std::fill(to + columns, to + kWidth, T{});
  }
  multiply_columns<T, kBytes, kVectors>(p, a, memory.get(), kWidth, columns, c);
}

// Of so few columns that vectors of them would be mostly empty.
template <class T, int kColumns>
TUTTI_INLINE inline void multiply_few_columns(const Product& p, const T* a, const T* b, T* c) {
  for (std::int64_t row = 0; row < p.m; ++row, a += p.a_row_stride, c += p.c_row_stride) {
    T sums[kColumns] = {};
    for (std::int64_t l = 0; l < p.k; ++l) {
      const T factor = a[l * p.a_column_stride];
#pragma GCC unroll 8
      for (int j = 0; j < kColumns; ++j) {
        const T product = times(factor, b[l * p.b_row_stride + j * p.b_column_stride]);
        sums[j] = static_cast<T>(sums[j] + product);
      }
    }
#pragma GCC unroll 8
    for (int j = 0; j < kColumns; ++j) {
      c[j] = p.accumulate ? static_cast<T>(c[j] + sums[j]) : sums[j];
    }
  }
}

template <class T, int kColumns = 1>
void multiply_few_columns(const Product& p, std::int64_t columns, const T* a, const T* b, T* c) {
  if constexpr (kColumns <= kFewColumns) {
    if (columns == kColumns) return multiply_few_columns<T, kColumns>(p, a, b, c);
    multiply_few_columns<T, kColumns + 1>(p, columns, a, b, c);
  }
}

template <class T, int kBytes>
TUTTI_INLINE inline void multiply_in_order(const Product& p, const T* a, const T* b, T* c) {
  constexpr std::int64_t kLanes = kBytes / static_cast<std::int64_t>(sizeof(T));
  for (std::int64_t j = 0; j < p.n; j += 2 * kLanes) {
    const std::int64_t columns = std::min(2 * kLanes, p.n - j);
    const T* const from = b + j * p.b_column_stride;
    if (columns <= kFewColumns / 2 || (columns <= kFewColumns && p.m <= kRowsAtOnce)) {
      multiply_few_columns<T>(p, columns, a, from, c + j);
    } else if (columns <= kLanes) {
      multiply_some_columns<T, kBytes, 1>(p, a, from, columns, c + j);
    } else {
      multiply_some_columns<T, kBytes, 2>(p, a, from, columns, c + j);
    }
  }
}

// ---- Each result by itself, in partial sums of a machine-independent number of lanes.

// In so many partial sums, whatever the width of the vectors.
template <class T, int kBytes, int kSums>
TUTTI_INLINE inline T dot_of(const T* x, const T* y, std::int64_t count) {
  constexpr int kLanes = std::min(kBytes / static_cast<int>(sizeof(T)), kSums);
  constexpr int kVectors = kSums / kLanes;
  typedef T Vector [[gnu::vector_size(kLanes * sizeof(T))]];
  const std::int64_t whole = count / kSums * kSums;
  Vector sums[kVectors] = {};
  for (std::int64_t i = 0; i < whole; i += kSums) {
#pragma GCC unroll 16
    for (int v = 0; v < kVectors; ++v) {
      Vector left;
      Vector right;
      std::memcpy(&left, x + i + v * kLanes, sizeof(left));
      std::memcpy(&right, y + i + v * kLanes, sizeof(right));
      sums[v] += left * right;
    }
  }
  T lanes[kSums];
  std::memcpy(lanes, sums, sizeof(lanes));
  for (std::int64_t i = whole; i < count; ++i) {
    lanes[i - whole] = static_cast<T>(lanes[i - whole] + times(x[i], y[i]));
  }
  for (int width = kSums / 2; width > 0; width /= 2) {
    for (int i = 0; i < width; ++i) lanes[i] = static_cast<T>(lanes[i] + lanes[i + width]);
  }
  return lanes[0];
}

template <class T, int kBytes>
TUTTI_INLINE inline T dot(const T* x, const T* y, std::int64_t count) {
  constexpr int kSize = static_cast<int>(sizeof(T));
  // To add many partial sums up takes as long as some hundred products.
  if (count >= kLongDot) return dot_of<T, kBytes, 256 / kSize>(x, y, count);
  return dot_of<T, kBytes, 64 / kSize>(x, y, count);
}

// ---- Many dots with one vector, as many at once as their partial sums are: added up together.

template <class T>
inline constexpr int kDotsAtOnce = 64 / static_cast<int>(sizeof(T));

// Copies `count` elements, fewer than kRoom, a power of two.
template <int kRoom, class T>
TUTTI_INLINE inline void copy_some(const T* from, std::int64_t count, T* to) {
  if constexpr (kRoom > 1) {
    constexpr int kHalf = kRoom / 2;
    if (count >= kHalf) std::memcpy(to, from, kHalf * sizeof(T));
    const std::int64_t done = count & kHalf;
    copy_some<kHalf>(from + done, count - done, to + done);
  }
}

// sums[i] = rows[i] . x. Partial sums are as many as a vector of 64 bytes has lanes; as many rows
// at once as there are registers for theirs. kWhole: the depth is a multiple of that; else the rest
// of x lies in `x_rest`, with zeros behind it.
template <class T, int kBytes, bool kWhole>
TUTTI_INLINE inline void dots_with(const T* x, const T* x_rest, const T* rows,
                                   std::int64_t row_stride, std::int64_t depth, T* sums) {
  constexpr int kCount = kDotsAtOnce<T>;
  constexpr int kLanes = kBytes / static_cast<int>(sizeof(T));
  constexpr int kVectors = 64 / kBytes;
  constexpr int kRows = kVectors == 1 ? kCount : std::min(8 / kVectors, kCount);
  typedef T Vector [[gnu::vector_size(kBytes)]];
  const std::int64_t whole = kWhole ? depth : depth / kCount * kCount;
  alignas(64) T lanes[kCount * kLanes];
  alignas(64) T rest[kWhole ? 1 : kRows * kCount] = {};
  for (int first = 0; first < kCount; first += kRows) {
    const T* const own = rows + first * row_stride;
    Vector partial[kRows][kVectors] = {};
    const auto add = [&](const T* from, std::int64_t apart, const T* factors) TUTTI_INLINE {
      Vector right[kVectors];
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) std::memcpy(&right[v], factors + v * kLanes, kBytes);
#pragma GCC unroll 16
      for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) {
          Vector left;
          std::memcpy(&left, from + i * apart + v * kLanes, kBytes);
          partial[i][v] += left * right[v];
        }
      }
    };
    if constexpr (!kWhole) {
      for (int i = 0; i < kRows; ++i) {
        copy_some<kCount>(own + i * row_stride + whole, depth - whole, rest + i * kCount);
      }
    }
    for (std::int64_t at = 0; at < whole; at += kCount) add(own + at, row_stride, x + at);
    if constexpr (!kWhole) add(rest, kCount, x_rest);
    // In the order in which dot_of adds them: halves to halves, here vectors to vectors.
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) {
      if constexpr (kVectors == 4) {
        partial[i][0] += partial[i][2];
        partial[i][1] += partial[i][3];
      }
      if constexpr (kVectors > 1) partial[i][0] += partial[i][1];
      std::memcpy(lanes + (first + i) * kLanes, &partial[i][0], kBytes);
    }
  }
#pragma GCC unroll 4
  for (int i = 0; i < kCount; i += kLanes) add_lanes<T, kLanes>(lanes + i * kLanes, sums + i);
}

// A matrix times a vector.
template <class T, int kBytes>
TUTTI_INLINE inline std::int64_t multiply_many_dots(const Product& p, const T* a, const T* b,
                                                    T* c) {
  const bool is_column = p.n == 1;
  const T* const x = is_column ? b : a;
  const T* const rows = is_column ? a : b;
  const std::int64_t row_stride = is_column ? p.a_row_stride : p.b_column_stride;
  const std::int64_t result_stride = is_column ? p.c_row_stride : 1;
  const std::int64_t count = p.m * p.n;
  const std::int64_t rest = p.k % kDotsAtOnce<T>;
  T x_rest[kDotsAtOnce<T>] = {};
  copy_some<kDotsAtOnce<T>>(x + p.k - rest, rest, x_rest);
  const bool is_stored = result_stride == 1 && !p.accumulate;
  std::int64_t done = 0;
  for (; done + kDotsAtOnce<T> <= count; done += kDotsAtOnce<T>) {
    T sums[kDotsAtOnce<T>];
    const T* const own = rows + done * row_stride;
    if (rest == 0) {
      dots_with<T, kBytes, true>(x, x_rest, own, row_stride, p.k, sums);
    } else {
      dots_with<T, kBytes, false>(x, x_rest, own, row_stride, p.k, sums);
    }
    if (is_stored) {
      std::memcpy(c + done, sums, sizeof(sums));
      continue;
    }
    for (int i = 0; i < kDotsAtOnce<T>; ++i) {
      T& to = c[(done + i) * result_stride];
      to = p.accumulate ? static_cast<T>(to + sums[i]) : sums[i];
    }
  }
  return done;
}

template <class T, int kBytes>
TUTTI_INLINE inline void multiply_dots(const Product& p, const T* a, const T* b, T* c) {
  std::int64_t done = 0;
  if constexpr (sizeof(T) >= 4) {
    if (p.k < kLongDot) done = multiply_many_dots<T, kBytes>(p, a, b, c);
  }
  for (std::int64_t i = p.n == 1 ? done : 0; i < p.m; ++i) {
    for (std::int64_t j = p.n == 1 ? 0 : done; j < p.n; ++j) {
      T& to = c[i * p.c_row_stride + j];
      const T sum = dot<T, kBytes>(a + i * p.a_row_stride, b + j * p.b_column_stride, p.k);
      to = p.accumulate ? static_cast<T>(to + sum) : sum;
    }
  }
}

}  // namespace

bool is_direct(const Product& product) {
  const DType dtype = product.dtype;
  if (is_narrow_floating(dtype) || dtype == DType::boolean) return false;
  if (product.m * product.n * product.k <= kMostWork) return true;
  // The library is good at many long dots, and at vectors, in f32.
  if (dtype == DType::f32) {
    return has_vector_along_depth(product) &&
           (product.m * product.n <= kFewResults || product.k < kLongDot);
  }
  return has_vector_along_depth(product) ||
         (product.m <= kRowsAtOnce && product.b_column_stride == 1);
}

void multiply_directly(const Product& product, const void* a, const void* b, void* c) {
  visit_dtype(product.dtype, [&]<class S>(std::type_identity<S>) {
    if constexpr (std::is_arithmetic_v<S> && !std::is_same_v<S, bool>) {
      using T = typename Wrapping<S>::type;
      const auto* const x = static_cast<const T*>(a);
      const auto* const y = static_cast<const T*>(b);
      run_vectorised([&]<int kBytes>() TUTTI_INLINE {
        if (has_vector_along_depth(product)) {
          multiply_dots<T, kBytes>(product, x, y, static_cast<T*>(c));
        } else {
          multiply_in_order<T, kBytes>(product, x, y, static_cast<T*>(c));
        }
      });
    }
  });
}

}  // namespace tutti::kernels
