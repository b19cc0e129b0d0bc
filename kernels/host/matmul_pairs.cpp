#include <tutti/kernels/host/instruction_set.h>
#include <tutti/kernels/host/matmul_product.h>
#include <tutti/kernels/host/scratch.h>

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// Products of integers that need no more than 16 bits, as those of quantised networks: processors
// multiply twice as many of them at once as of 32 bits, in less time, and add the two products of a
// pair (l, l + 1) to a sum of 32 bits. Sums wrap, so their bits are those of any other order.
namespace tutti::kernels {

namespace {

// Blocked and packed as in matmul_loops.cpp, with pairs along k in place of elements.
constexpr std::int64_t kPairs = 256;
constexpr std::int64_t kRowsOfBlock = 64;
constexpr int kRowsOfPanel = 4;
// A product of fewer rows or columns is not worth a look at each element.
constexpr std::int64_t kFewestLines = 8;

// Two elements, the first one in the lower half.
template <class T>
TUTTI_INLINE inline std::uint32_t pair_of(T even, T odd) {
  return static_cast<std::uint16_t>(even) | std::uint32_t{static_cast<std::uint16_t>(odd)} << 16;
}

// Whether 16 bits with a sign hold all that a type has.
template <class T>
constexpr bool kAlwaysFits = sizeof(T) < sizeof(std::int16_t) || std::is_same_v<T, std::int16_t>;

// Whether they hold all elements of a matrix.
template <class T, int kBytes>
TUTTI_INLINE inline bool all_fit(const T* from, std::int64_t rows, std::int64_t columns,
                                 std::int64_t row_stride, std::int64_t column_stride) {
  if (column_stride != 1) {
    std::swap(rows, columns);
    std::swap(row_stride, column_stride);
  }
  using Unsigned = std::make_unsigned_t<T>;
  constexpr std::int64_t kLanes = kBytes / static_cast<std::int64_t>(sizeof(T));
  typedef Unsigned Vector [[gnu::vector_size(kBytes)]];
  // Moved up by 2^15, and of signed ones alone, what fits has no bits above the lowest 16; of
  // unsigned ones none above the lowest 15.
  constexpr Unsigned kUp = std::is_signed_v<T> ? 0x8000 : 0;
  constexpr int kBits = std::is_signed_v<T> ? 16 : 15;
  for (std::int64_t i = 0; i < rows; ++i, from += row_stride) {
    Vector above = {};
    Unsigned rest = 0;
    std::int64_t j = 0;
    for (; column_stride == 1 && j + kLanes <= columns; j += kLanes) {
      Vector elements;
      std::memcpy(&elements, from + j, sizeof(elements));
      above |= elements + kUp;
    }
    for (; j < columns; ++j) {
      rest |= static_cast<Unsigned>(static_cast<Unsigned>(from[j * column_stride]) + kUp);
    }
    for (std::int64_t lane = 0; lane < kLanes; ++lane) rest |= above[lane];
    if (rest >> kBits != 0) return false;
  }
  return true;
}

// Copies [lines, depth] elements into panels of `width` lines: panel p holds, for each pair of
// depths, the two elements of line p * width + i for i < width, with zeros where there are none.
template <class T, int kBytes>
TUTTI_INLINE inline void pack_pairs(const T* from, std::int64_t line_stride,
                                    std::int64_t depth_stride, std::int64_t lines,
                                    std::int64_t depth, std::int64_t width, std::uint32_t* to) {
  constexpr std::int64_t kLanes = kBytes / static_cast<std::int64_t>(sizeof(std::uint32_t));
  typedef std::uint32_t Pairs [[gnu::vector_size(kBytes)]];
  typedef T Elements [[gnu::vector_size(kLanes * sizeof(T))]];
  for (std::int64_t first = 0; first < lines; first += width) {
    const std::int64_t used = std::min(width, lines - first);
    for (std::int64_t l = 0; l < depth; l += 2, to += width) {
      const T* const even = from + first * line_stride + l * depth_stride;
      const T* const odd = even + depth_stride;
      const bool whole = l + 1 < depth;
      std::int64_t i = 0;
      for (; whole && line_stride == 1 && i + kLanes <= used; i += kLanes) {
        Elements low;
        Elements high;
        std::memcpy(&low, even + i, sizeof(low));
        std::memcpy(&high, odd + i, sizeof(high));
        const Pairs pairs = (__builtin_convertvector(low, Pairs) & 0xFFFF) |
                            __builtin_convertvector(high, Pairs) << 16;
        std::memcpy(to + i, &pairs, sizeof(pairs));
      }
      for (; i < used; ++i) {
        to[i] = pair_of(even[i * line_stride], whole ? odd[i * line_stride] : T{});
      }
      for (; i < width; ++i) to[i] = 0;
    }
  }
}

// block[kRowsOfPanel, 2 vectors] = a panel * b panel, over so many pairs.
using MultiplyPanels = void (*)(const std::uint32_t* a, const std::uint32_t* b, std::int64_t pairs,
                                std::uint32_t* block);

#if defined(__x86_64__)

// The same for each width of vectors, which are no types that functions of the baseline may pass.
#define TUTTI_MULTIPLY_PAIRS(name, target, Vector, zero, load, splat, multiply, add, store) \
  target void name(const std::uint32_t* a, const std::uint32_t* b, std::int64_t pairs,      \
                   std::uint32_t* block) {                                                  \
    constexpr std::int64_t kLanes = sizeof(Vector) / sizeof(std::uint32_t);                 \
    Vector sums[kRowsOfPanel][2];                                                           \
    for (auto& row : sums) row[0] = row[1] = zero();                                        \
    for (std::int64_t l = 0; l < pairs; ++l, a += kRowsOfPanel, b += 2 * kLanes) {          \
      const Vector low = load(reinterpret_cast<const Vector*>(b));                          \
      const Vector high = load(reinterpret_cast<const Vector*>(b + kLanes));                \
      _Pragma("GCC unroll 4") for (int row = 0; row < kRowsOfPanel; ++row) {                \
        const Vector factor = splat(static_cast<std::int32_t>(a[row]));                     \
        sums[row][0] = add(sums[row][0], multiply(factor, low));                            \
        sums[row][1] = add(sums[row][1], multiply(factor, high));                           \
      }                                                                                     \
    }                                                                                       \
    for (int row = 0; row < kRowsOfPanel; ++row) {                                          \
      auto* const to = reinterpret_cast<Vector*>(block + row * 2 * kLanes);                 \
      store(to, sums[row][0]);                                                              \
      store(to + 1, sums[row][1]);                                                          \
    }                                                                                       \
  }

TUTTI_MULTIPLY_PAIRS(multiply_pairs_16, , __m128i, _mm_setzero_si128, _mm_loadu_si128,
                     _mm_set1_epi32, _mm_madd_epi16, _mm_add_epi32, _mm_storeu_si128)
TUTTI_MULTIPLY_PAIRS(multiply_pairs_32, TUTTI_TARGET_AVX2, __m256i, _mm256_setzero_si256,
                     _mm256_loadu_si256, _mm256_set1_epi32, _mm256_madd_epi16, _mm256_add_epi32,
                     _mm256_storeu_si256)
TUTTI_MULTIPLY_PAIRS(multiply_pairs_64, TUTTI_TARGET_AVX512, __m512i, _mm512_setzero_si512,
                     _mm512_loadu_si512, _mm512_set1_epi32, _mm512_madd_epi16, _mm512_add_epi32,
                     _mm512_storeu_si512)

#undef TUTTI_MULTIPLY_PAIRS

#endif

// The one for vectors of so many bytes; null where there is none.
template <int kBytes>
constexpr MultiplyPanels kMultiplyPairs = nullptr;
#if defined(__x86_64__)
template <>
constexpr MultiplyPanels kMultiplyPairs<16> = multiply_pairs_16;
template <>
constexpr MultiplyPanels kMultiplyPairs<32> = multiply_pairs_32;
template <>
constexpr MultiplyPanels kMultiplyPairs<64> = multiply_pairs_64;
#endif

// The lowest bits of the sums, added to what is there or in its place.
template <class T>
void store_lowest(const std::uint32_t* block, std::int64_t width, std::int64_t rows,
                  std::int64_t columns, bool add, T* c, std::int64_t c_row_stride) {
  using Unsigned = std::make_unsigned_t<T>;
  for (std::int64_t row = 0; row < rows; ++row, block += width, c += c_row_stride) {
    for (std::int64_t j = 0; j < columns; ++j) {
      const std::uint32_t before = add ? static_cast<Unsigned>(c[j]) : 0;
      c[j] = static_cast<T>(static_cast<Unsigned>(before + block[j]));
    }
  }
}

template <class T, int kBytes>
TUTTI_INLINE inline bool multiply_in_pairs(const Product& p, const T* a, const T* b, T* c) {
  if constexpr (!kAlwaysFits<T>) {
    if (!all_fit<T, kBytes>(a, p.m, p.k, p.a_row_stride, p.a_column_stride) ||
        !all_fit<T, kBytes>(b, p.k, p.n, p.b_row_stride, p.b_column_stride)) {
      return false;
    }
  }
  constexpr std::int64_t kWidth = 2 * kBytes / static_cast<std::int64_t>(sizeof(std::uint32_t));
  thread_local Scratch scratch;
  const std::int64_t padded = (p.n + kWidth - 1) / kWidth * kWidth;
  const std::int64_t most_pairs = std::min(kPairs, (p.k + 1) / 2);
  const auto memory = scratch.use<std::uint32_t>(most_pairs * (padded + kRowsOfBlock));
  std::uint32_t* const b_panels = memory.get();
  std::uint32_t* const a_panels = b_panels + most_pairs * padded;
  alignas(64) std::uint32_t block[kRowsOfPanel * kWidth];
  for (std::int64_t l = 0; l < p.k; l += 2 * kPairs) {
    const std::int64_t depth = std::min(2 * kPairs, p.k - l);
    const std::int64_t pairs = (depth + 1) / 2;
    const bool add = p.accumulate || l > 0;
    pack_pairs<T, kBytes>(b + l * p.b_row_stride, p.b_column_stride, p.b_row_stride, p.n, depth,
                          kWidth, b_panels);
    for (std::int64_t i = 0; i < p.m; i += kRowsOfBlock) {
      const std::int64_t rows = std::min(kRowsOfBlock, p.m - i);
      pack_pairs<T, kBytes>(a + i * p.a_row_stride + l * p.a_column_stride, p.a_row_stride,
                            p.a_column_stride, rows, depth, kRowsOfPanel, a_panels);
      for (std::int64_t j = 0; j < p.n; j += kWidth) {
        for (std::int64_t row = 0; row < rows; row += kRowsOfPanel) {
          kMultiplyPairs<kBytes>(a_panels + row * pairs, b_panels + j * pairs, pairs, block);
          store_lowest(block, kWidth, std::min<std::int64_t>(kRowsOfPanel, rows - row),
                       std::min(kWidth, p.n - j), add, c + (i + row) * p.c_row_stride + j,
                       p.c_row_stride);
        }
      }
    }
  }
  return true;
}

}  // namespace

bool multiply_by_pairs(const Product& product, const void* a, const void* b, void* c) {
  if (std::min(product.m, product.n) < kFewestLines) return false;
  return visit_dtype(product.dtype, [&]<class T>(std::type_identity<T>) {
    bool done = false;
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 4) {
      run_vectorised([&]<int kBytes>() TUTTI_INLINE {
        if constexpr (kMultiplyPairs<kBytes> != nullptr) {
          done = multiply_in_pairs<T, kBytes>(product, static_cast<const T*>(a),
                                              static_cast<const T*>(b), static_cast<T*>(c));
        }
      });
    }
    return done;
  });
}

}  // namespace tutti::kernels
