#include <tutti/ir/support/error.h>
#include <tutti/kernels/host/instruction_set.h>
#include <tutti/kernels/host/matmul_product.h>
#include <tutti/kernels/host/per_thread.h>
#include <tutti/kernels/host/scratch.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace tutti::kernels {

namespace {

// The blocking of Goto and van de Geijn, "Anatomy of high-performance matrix multiplication"
// (2008): a block of b [kDepth, columns] and of a [rows, kDepth] are packed into panels; the
// micro-kernel keeps kRows x 2 vectors of results in registers. Bits do not depend on the width of
// the vectors: each result is a sum over k in order, in blocks of kDepth.
constexpr std::int64_t kDepth = 256;
constexpr std::int64_t kBlockRows = 64;
constexpr int kRows = 4;

// Integers wrap, so signed ones are multiplied as unsigned ones.
template <class T>
struct Element {
  using type = std::make_unsigned_t<T>;
};
template <>
struct Element<float> {
  using type = float;
};
template <>
struct Element<double> {
  using type = double;
};

// Copies [length, depth] elements into panels of `width` lines: panel p holds, for every depth l,
// the elements (p * width + i, l) for i < width, with zeros after the last line.
template <class T>
void pack(const T* from, std::int64_t line_stride, std::int64_t depth_stride, std::int64_t lines,
          std::int64_t depth, std::int64_t width, T* to) {
  for (std::int64_t first = 0; first < lines; first += width) {
    const std::int64_t used = std::min(width, lines - first);
    const T* source = from + first * line_stride;
    if (used == width && line_stride == 1) {
      for (std::int64_t l = 0; l < depth; ++l, to += width) {
        std::memcpy(to, source + l * depth_stride, static_cast<std::size_t>(width) * sizeof(T));
      }
      continue;
    }
    for (std::int64_t l = 0; l < depth; ++l, to += width) {
      const T* line = source + l * depth_stride;
      for (std::int64_t i = 0; i < used; ++i) to[i] = line[i * line_stride];
      for (std::int64_t i = used; i < width; ++i) to[i] = T{};
    }
  }
}

// block[kRows, 2 vectors] = a panel * b panel.
template <class T, int kBytes>
TUTTI_INLINE inline void multiply_panels(const T* a, const T* b, std::int64_t depth, T* block) {
  constexpr int kLanes = kBytes / static_cast<int>(sizeof(T));
  typedef T Vector [[gnu::vector_size(kBytes)]];
  Vector sums[kRows][2] = {};
  for (std::int64_t l = 0; l < depth; ++l, a += kRows, b += 2 * kLanes) {
    Vector low;
    Vector high;
    std::memcpy(&low, b, sizeof(low));
    std::memcpy(&high, b + kLanes, sizeof(high));
    // Unrolled by hand, so that the sums live in registers at -O2 as well.
    const auto add_row = [&](int row) TUTTI_INLINE {
      const Vector factor = a[row] - Vector{};  // in every lane
      sums[row][0] += factor * low;
      sums[row][1] += factor * high;
    };
    static_assert(kRows == 4);
    add_row(0), add_row(1), add_row(2), add_row(3);
  }
  std::memcpy(block, sums, sizeof(sums));
}

template <class T>
void store_sums(const T* block, std::int64_t width, std::int64_t rows, std::int64_t columns,
                bool add, T* c, std::int64_t c_row_stride) {
  for (std::int64_t row = 0; row < rows; ++row) {
    T* to = c + row * c_row_stride;
    const T* from = block + row * width;
    if (add) {
      for (std::int64_t j = 0; j < columns; ++j) to[j] = static_cast<T>(to[j] + from[j]);
    } else {
      for (std::int64_t j = 0; j < columns; ++j) to[j] = from[j];
    }
  }
}

template <class T, int kBytes>
TUTTI_INLINE inline void multiply(const Product& p, const T* a, const T* b, T* c) {
  constexpr std::int64_t kWidth = 2 * kBytes / static_cast<std::int64_t>(sizeof(T));
  constinit thread_local PerThread<Scratch> scratch;
  const std::int64_t padded = (p.n + kWidth - 1) / kWidth * kWidth;
  const std::int64_t most_depth = std::min(kDepth, p.k);
  const auto memory = scratch.get().use<T>(most_depth * (padded + kBlockRows));
  T* b_panels = memory.get();
  T* a_panels = b_panels + most_depth * padded;
  alignas(64) T block[kRows * kWidth];
  for (std::int64_t l = 0; l < p.k; l += kDepth) {
    const std::int64_t depth = std::min(kDepth, p.k - l);
    const bool add = p.accumulate || l > 0;
    pack(b + l * p.b_row_stride, p.b_column_stride, p.b_row_stride, p.n, depth, kWidth, b_panels);
    for (std::int64_t i = 0; i < p.m; i += kBlockRows) {
      const std::int64_t rows = std::min(kBlockRows, p.m - i);
      pack(a + i * p.a_row_stride + l * p.a_column_stride, p.a_row_stride, p.a_column_stride, rows,
           depth, kRows, a_panels);
      for (std::int64_t j = 0; j < p.n; j += kWidth) {
        for (std::int64_t row = 0; row < rows; row += kRows) {
          multiply_panels<T, kBytes>(a_panels + row * depth, b_panels + j * depth, depth, block);
          store_sums(block, kWidth, std::min<std::int64_t>(kRows, rows - row),
                     std::min(kWidth, p.n - j), add, c + (i + row) * p.c_row_stride + j,
                     p.c_row_stride);
        }
      }
    }
  }
}

}  // namespace

void multiply_by_loops(const Product& product, const void* a, const void* b, void* c) {
  if (multiply_by_pairs(product, a, b, c)) return;
  visit_dtype(product.dtype, [&]<class S>(std::type_identity<S>) {
    if constexpr (std::is_arithmetic_v<S> && !std::is_same_v<S, bool>) {
      using T = typename Element<S>::type;
      run_vectorised([&]<int kBytes>() TUTTI_INLINE {
        multiply<T, kBytes>(product, static_cast<const T*>(a), static_cast<const T*>(b),
                            static_cast<T*>(c));
      });
    } else {
      throw InternalError("no loops multiply " + std::string(name_of(product.dtype)));
    }
  });
}

}  // namespace tutti::kernels
