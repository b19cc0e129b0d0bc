#include <tutti/kernels/host/instruction_set.h>
#include <tutti/kernels/host/matmul_product.h>
#include <tutti/kernels/host/per_thread.h>
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

// Blocked as in matmul_loops.cpp, with pairs along k in place of elements; the right-hand side is
// packed into panels, the left-hand side into rows.
constexpr std::int64_t kPairs = 128;
constexpr std::int64_t kRowsOfBlock = 64;
// Rows that are multiplied at once, by two vectors of columns each.
template <int kBytes>
constexpr int kRowsOfPairs = kBytes == 64 ? 8 : 4;
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
  if (kAlwaysFits<T>) return true;
  if (column_stride != 1) {
    std::swap(rows, columns);
    std::swap(row_stride, column_stride);
  }
  using Unsigned = std::make_unsigned_t<T>;
  constexpr std::int64_t kLanes = kBytes / static_cast<std::int64_t>(sizeof(T));
  typedef Unsigned Vector [[gnu::vector_size(kBytes)]];
  // Moved up by 2^15, and of signed ones alone, what fits has no bits above the lowest 16; of
  // unsigned ones none above the lowest 15.
  constexpr auto kUp = static_cast<Unsigned>(std::is_signed_v<T> ? 0x8000 : 0);
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
  // GCC converts bytes to words one by one, but to halves at once, and those to words.
  using Half = std::conditional_t<sizeof(T) == 1, std::int16_t, T>;
  typedef Half Halves [[gnu::vector_size(kLanes * sizeof(Half))]];
  const std::int64_t panel = (depth + 1) / 2 * width;
  for (std::int64_t l = 0; l < depth; l += 2, to += width, from += 2 * depth_stride) {
    const bool whole = l + 1 < depth;
    std::uint32_t* own = to;
    for (std::int64_t first = 0; first < lines; first += width, own += panel) {
      const std::int64_t used = std::min(width, lines - first);
      const T* const even = from + first * line_stride;
      const T* const odd = even + depth_stride;
      std::int64_t i = 0;
      for (; whole && line_stride == 1 && i + kLanes <= used; i += kLanes) {
        Elements low;
        Elements high;
        std::memcpy(&low, even + i, sizeof(low));
        std::memcpy(&high, odd + i, sizeof(high));
        const Halves low_halves = __builtin_convertvector(low, Halves);
        const Halves high_halves = __builtin_convertvector(high, Halves);
        const Pairs pairs = (__builtin_convertvector(low_halves, Pairs) & 0xFFFF) |
                            __builtin_convertvector(high_halves, Pairs) << 16;
        std::memcpy(own + i, &pairs, sizeof(pairs));
      }
      for (; i < used; ++i) {
        own[i] = pair_of(even[i * line_stride], whole ? odd[i * line_stride] : T{});
      }
      for (; i < width; ++i) own[i] = 0;
    }
  }
}

// Copies [rows, depth] elements into rows of pairs, `pairs` apart, with zeros up to `padded` rows.
template <class T, int kBytes>
TUTTI_INLINE inline void pack_rows(const T* from, std::int64_t row_stride,
                                   std::int64_t depth_stride, std::int64_t rows, std::int64_t depth,
                                   std::int64_t padded, std::int64_t pairs, std::uint32_t* to) {
  constexpr std::int64_t kLanes = kBytes / static_cast<std::int64_t>(sizeof(std::uint32_t));
  typedef T Elements [[gnu::vector_size(kLanes * sizeof(T))]];
  typedef std::int16_t Halves [[gnu::vector_size(kLanes * sizeof(std::int16_t))]];
  std::fill(to + rows * pairs, to + padded * pairs, 0U);
  for (std::int64_t row = 0; row < rows; ++row, from += row_stride, to += pairs) {
    auto* const halves = reinterpret_cast<std::byte*>(to);
    std::int64_t l = 0;
    for (; depth_stride == 1 && l + kLanes <= depth; l += kLanes) {
      Elements elements;
      std::memcpy(&elements, from + l, sizeof(elements));
      const Halves low = __builtin_convertvector(elements, Halves);
      std::memcpy(halves + l * static_cast<std::int64_t>(sizeof(std::int16_t)), &low, sizeof(low));
    }
    for (; l < depth; l += 2) {
      to[l / 2] =
          pair_of(from[l * depth_stride], l + 1 < depth ? from[(l + 1) * depth_stride] : T{});
    }
  }
}

// block[rows at once, 2 vectors] = rows of a, `pairs` apart, * b panel.
using MultiplyPanels = void (*)(const std::uint32_t* a, const std::uint32_t* b, std::int64_t pairs,
                                std::uint32_t* block);

#if defined(__x86_64__)

// The same for each width of vectors, which are no types that functions of the baseline may pass.
// `add_pairs` adds the products of pairs to sums. All loops over these are unrolled: else they
// would not stay in registers.
#define TUTTI_MULTIPLY_PAIRS(name, target, Vector, bytes, zero, load, splat, add_pairs, store) \
  target void name(const std::uint32_t* a, const std::uint32_t* b, std::int64_t pairs,         \
                   std::uint32_t* block) {                                                     \
    constexpr std::int64_t kLanes = sizeof(Vector) / sizeof(std::uint32_t);                    \
    constexpr int kRowCount = kRowsOfPairs<bytes>;                                             \
    Vector sums[kRowCount][2];                                                                 \
    _Pragma("GCC unroll 8") for (auto& row : sums) row[0] = row[1] = zero();                   \
    for (std::int64_t l = 0; l < pairs; ++l, b += 2 * kLanes) {                                \
      const Vector low = load(reinterpret_cast<const Vector*>(b));                             \
      const Vector high = load(reinterpret_cast<const Vector*>(b + kLanes));                   \
      _Pragma("GCC unroll 8") for (int row = 0; row < kRowCount; ++row) {                      \
        const Vector factor = splat(static_cast<std::int32_t>(a[row * pairs + l]));            \
        sums[row][0] = add_pairs(sums[row][0], factor, low);                                   \
        sums[row][1] = add_pairs(sums[row][1], factor, high);                                  \
      }                                                                                        \
    }                                                                                          \
    _Pragma("GCC unroll 8") for (int row = 0; row < kRowCount; ++row) {                        \
      auto* const to = reinterpret_cast<Vector*>(block + row * 2 * kLanes);                    \
      store(to, sums[row][0]);                                                                 \
      store(to + 1, sums[row][1]);                                                             \
    }                                                                                          \
  }
#define TUTTI_ADD_PAIRS_16(sum, x, y) _mm_add_epi32(sum, _mm_madd_epi16(x, y))
#define TUTTI_ADD_PAIRS_32(sum, x, y) _mm256_add_epi32(sum, _mm256_madd_epi16(x, y))
#define TUTTI_ADD_PAIRS_64(sum, x, y) _mm512_add_epi32(sum, _mm512_madd_epi16(x, y))
#define TUTTI_TARGET_VNNI \
  [[gnu::target("avx2,f16c,fma,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")]]

TUTTI_MULTIPLY_PAIRS(multiply_pairs_16, , __m128i, 16, _mm_setzero_si128, _mm_loadu_si128,
                     _mm_set1_epi32, TUTTI_ADD_PAIRS_16, _mm_storeu_si128)
TUTTI_MULTIPLY_PAIRS(multiply_pairs_32, TUTTI_TARGET_AVX2, __m256i, 32, _mm256_setzero_si256,
                     _mm256_loadu_si256, _mm256_set1_epi32, TUTTI_ADD_PAIRS_32, _mm256_storeu_si256)
TUTTI_MULTIPLY_PAIRS(multiply_pairs_64, TUTTI_TARGET_AVX512, __m512i, 64, _mm512_setzero_si512,
                     _mm512_loadu_si512, _mm512_set1_epi32, TUTTI_ADD_PAIRS_64, _mm512_storeu_si512)
// In one instruction, where the processor has it.
TUTTI_MULTIPLY_PAIRS(multiply_pairs_vnni, TUTTI_TARGET_VNNI, __m512i, 64, _mm512_setzero_si512,
                     _mm512_loadu_si512, _mm512_set1_epi32, _mm512_dpwssd_epi32,
                     _mm512_storeu_si512)

#undef TUTTI_TARGET_VNNI
#undef TUTTI_ADD_PAIRS_64
#undef TUTTI_ADD_PAIRS_32
#undef TUTTI_ADD_PAIRS_16
#undef TUTTI_MULTIPLY_PAIRS

bool has_vnni() {
  static const bool has = [] {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512vnni") != 0;
  }();
  return has;
}

#endif

// The one for vectors of so many bytes; null where there is none.
template <int kBytes>
MultiplyPanels find_multiply_pairs() {
#if defined(__x86_64__)
  if constexpr (kBytes == 64) return has_vnni() ? multiply_pairs_vnni : multiply_pairs_64;
  return kBytes == 32 ? multiply_pairs_32 : multiply_pairs_16;
#else
  return nullptr;
#endif
}

// The lowest bits of the sums, added to what is there or in its place.
template <class T, int kBytes>
TUTTI_INLINE inline void store_lowest(const std::uint32_t* block, std::int64_t width,
                                      std::int64_t rows, std::int64_t columns, bool add, T* c,
                                      std::int64_t c_row_stride) {
  using Unsigned = std::make_unsigned_t<T>;
  constexpr std::int64_t kLanes = kBytes / static_cast<std::int64_t>(sizeof(std::uint32_t));
  typedef std::uint32_t Sums [[gnu::vector_size(kBytes)]];
  for (std::int64_t row = 0; row < rows; ++row, block += width, c += c_row_stride) {
    std::int64_t j = 0;
    for (; sizeof(T) == sizeof(std::uint32_t) && j + kLanes <= columns; j += kLanes) {
      Sums sums;
      std::memcpy(&sums, block + j, sizeof(sums));
      if (add) {
        Sums before;
        std::memcpy(&before, c + j, sizeof(before));
        sums += before;
      }
      std::memcpy(c + j, &sums, sizeof(sums));
    }
    for (; j < columns; ++j) {
      const std::uint32_t before = add ? static_cast<Unsigned>(c[j]) : 0;
      c[j] = static_cast<T>(static_cast<Unsigned>(before + block[j]));
    }
  }
}

template <class T, class A, class B, int kBytes>
TUTTI_INLINE inline bool multiply_in_pairs(const Product& p, MultiplyPanels multiply, const A* a,
                                           const B* b, T* c) {
  // What is in c is added to once; else whoever computes it anew writes over all.
  if (p.accumulate && !(all_fit<A, kBytes>(a, p.m, p.k, p.a_row_stride, p.a_column_stride) &&
                        all_fit<B, kBytes>(b, p.k, p.n, p.b_row_stride, p.b_column_stride))) {
    return false;
  }
  constexpr std::int64_t kWidth = 2 * kBytes / static_cast<std::int64_t>(sizeof(std::uint32_t));
  constinit thread_local PerThread<Scratch> scratch;
  const std::int64_t padded = (p.n + kWidth - 1) / kWidth * kWidth;
  const std::int64_t most_pairs = std::min(kPairs, (p.k + 1) / 2);
  const auto memory = scratch.get().use<std::uint32_t>(most_pairs * (padded + kRowsOfBlock));
  std::uint32_t* const b_panels = memory.get();
  std::uint32_t* const a_rows = b_panels + most_pairs * padded;
  constexpr int kRowCount = kRowsOfPairs<kBytes>;
  alignas(64) std::uint32_t block[kRowCount * kWidth];
  for (std::int64_t l = 0; l < p.k; l += 2 * kPairs) {
    const std::int64_t depth = std::min(2 * kPairs, p.k - l);
    const std::int64_t pairs = (depth + 1) / 2;
    const bool add = p.accumulate || l > 0;
    const B* const b_piece = b + l * p.b_row_stride;
    if (!all_fit<B, kBytes>(b_piece, depth, p.n, p.b_row_stride, p.b_column_stride)) return false;
    pack_pairs<B, kBytes>(b_piece, p.b_column_stride, p.b_row_stride, p.n, depth, kWidth, b_panels);
    for (std::int64_t i = 0; i < p.m; i += kRowsOfBlock) {
      const std::int64_t rows = std::min(kRowsOfBlock, p.m - i);
      const A* const a_piece = a + i * p.a_row_stride + l * p.a_column_stride;
      if (!all_fit<A, kBytes>(a_piece, rows, depth, p.a_row_stride, p.a_column_stride))
        return false;
      pack_rows<A, kBytes>(a_piece, p.a_row_stride, p.a_column_stride, rows, depth,
                           (rows + kRowCount - 1) / kRowCount * kRowCount, pairs, a_rows);
      for (std::int64_t j = 0; j < p.n; j += kWidth) {
        for (std::int64_t row = 0; row < rows; row += kRowCount) {
          multiply(a_rows + row * pairs, b_panels + j * pairs, pairs, block);
          store_lowest<T, kBytes>(block, kWidth, std::min<std::int64_t>(kRowCount, rows - row),
                                  std::min(kWidth, p.n - j), add,
                                  c + (i + row) * p.c_row_stride + j, p.c_row_stride);
        }
      }
    }
  }
  return true;
}

template <class T, class A, class B>
bool multiply_all_in_pairs(const Product& product, const void* a, const void* b, void* c) {
  bool done = false;
  run_vectorised([&]<int kBytes>() TUTTI_INLINE {
    const MultiplyPanels multiply = find_multiply_pairs<kBytes>();
    if (multiply == nullptr) return;
    done = multiply_in_pairs<T, A, B, kBytes>(product, multiply, static_cast<const A*>(a),
                                              static_cast<const B*>(b), static_cast<T*>(c));
  });
  return done;
}

// Calls f with the type that bytes or halves are stored as; says whether it is one of these.
template <class F>
bool visit_narrow(DType dtype, F&& f) {
  switch (dtype) {
    case DType::i8:
      return f(std::type_identity<std::int8_t>());
    case DType::u8:
      return f(std::type_identity<std::uint8_t>());
    case DType::i16:
      return f(std::type_identity<std::int16_t>());
    default:
      return false;
  }
}

}  // namespace

bool multiply_by_pairs(const Product& product, const void* a, const void* b, void* c) {
  if (product.a_narrow && product.b_narrow) {
    return visit_narrow(*product.a_narrow, [&]<class A>(std::type_identity<A>) {
      return visit_narrow(*product.b_narrow, [&]<class B>(std::type_identity<B>) {
        return multiply_all_in_pairs<std::int32_t, A, B>(product, a, b, c);
      });
    });
  }
  // One alone is widened first.
  if (product.a_narrow || product.b_narrow) return false;
  if (std::min(product.m, product.n) < kFewestLines) return false;
  return visit_dtype(product.dtype, [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 4) {
      return multiply_all_in_pairs<T, T, T>(product, a, b, c);
    } else {
      return false;
    }
  });
}

}  // namespace tutti::kernels
