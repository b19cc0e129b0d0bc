#include <tutti/kernels/host/transpose.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace tutti::kernels {

namespace {

constexpr std::int64_t kCacheLine = 64;
constexpr std::int64_t kBlockColumns = 64;

// By elements.
template <class Element>
void transpose_each(const Element* source, std::int64_t source_stride, Element* result,
                    std::int64_t result_stride, std::int64_t rows, std::int64_t columns) {
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      result[row * result_stride + column] = source[column * source_stride + row];
    }
  }
}

#if defined(__SSE2__)

template <std::size_t kBytes>
void interleave(__m128i a, __m128i b, __m128i& low, __m128i& high) {
  if constexpr (kBytes == 1) {
    low = _mm_unpacklo_epi8(a, b);
    high = _mm_unpackhi_epi8(a, b);
  } else if constexpr (kBytes == 2) {
    low = _mm_unpacklo_epi16(a, b);
    high = _mm_unpackhi_epi16(a, b);
  } else if constexpr (kBytes == 4) {
    low = _mm_unpacklo_epi32(a, b);
    high = _mm_unpackhi_epi32(a, b);
  } else {
    low = _mm_unpacklo_epi64(a, b);
    high = _mm_unpackhi_epi64(a, b);
  }
}

// The same for a square as wide as a vector. Interleaving the upper with the lower half of the
// lines moves the highest bit of an element's line to the lowest bit of its place in the line;
// after log2(side) times lines and places have changed roles. Written without loops: an array that
// is indexed by a variable would not live in registers.
template <class Element>
void transpose_square(const Element* source, std::int64_t source_stride, Element* result,
                      std::int64_t result_stride) {
  constexpr std::size_t kSide = sizeof(__m128i) / sizeof(Element);
  __m128i lines[kSide];
  const auto each = [](auto&& f) {
    [&]<std::size_t... i>(std::index_sequence<i...>) {
      (f(std::integral_constant<std::size_t, i>()), ...);
    }(std::make_index_sequence<kSide>());
  };
  each([&](auto i) {
    std::memcpy(&lines[i], source + static_cast<std::int64_t>(i) * source_stride, sizeof(__m128i));
  });
  const auto interleave_halves = [&] {
    __m128i mixed[kSide];
    each([&](auto i) {
      if constexpr (i < kSide / 2) {
        interleave<sizeof(Element)>(lines[i], lines[i + kSide / 2], mixed[2 * i], mixed[2 * i + 1]);
      }
    });
    each([&](auto i) { lines[i] = mixed[i]; });
  };
  interleave_halves();
  if constexpr (kSide > 2) interleave_halves();
  if constexpr (kSide > 4) interleave_halves();
  if constexpr (kSide > 8) interleave_halves();
  each([&](auto i) {
    std::memcpy(result + static_cast<std::int64_t>(i) * result_stride, &lines[i], sizeof(__m128i));
  });
}

// The even and the odd elements of two vectors.
template <std::size_t kBytes>
void take_turns(__m128i a, __m128i b, __m128i& even, __m128i& odd) {
  if constexpr (kBytes == 1) {
    const __m128i low = _mm_set1_epi16(0xFF);
    even = _mm_packus_epi16(_mm_and_si128(a, low), _mm_and_si128(b, low));
    odd = _mm_packus_epi16(_mm_srli_epi16(a, 8), _mm_srli_epi16(b, 8));
  } else if constexpr (kBytes == 2) {
    const auto low = [](__m128i x) { return _mm_srai_epi32(_mm_slli_epi32(x, 16), 16); };
    even = _mm_packs_epi32(low(a), low(b));
    odd = _mm_packs_epi32(_mm_srai_epi32(a, 16), _mm_srai_epi32(b, 16));
  } else if constexpr (kBytes == 4) {
    const __m128 x = _mm_castsi128_ps(a);
    const __m128 y = _mm_castsi128_ps(b);
    even = _mm_castps_si128(_mm_shuffle_ps(x, y, 0x88));
    odd = _mm_castps_si128(_mm_shuffle_ps(x, y, 0xDD));
  } else {
    interleave<kBytes>(a, b, even, odd);
  }
}

// What a transpose of two columns to rows of two does, and of rows of two to two columns: the whole
// vectors; gives how many.
template <class Element>
std::int64_t interleave_columns(const Element* source, std::int64_t source_stride, Element* result,
                                std::int64_t rows) {
  constexpr auto kSide = static_cast<std::int64_t>(sizeof(__m128i) / sizeof(Element));
  std::int64_t row = 0;
  for (; row + kSide <= rows; row += kSide) {
    __m128i a, b, low, high;
    std::memcpy(&a, source + row, sizeof(a));
    std::memcpy(&b, source + source_stride + row, sizeof(b));
    interleave<sizeof(Element)>(a, b, low, high);
    std::memcpy(result + 2 * row, &low, sizeof(low));
    std::memcpy(result + 2 * row + kSide, &high, sizeof(high));
  }
  return row;
}
template <class Element>
std::int64_t part_pairs(const Element* source, Element* result, std::int64_t result_stride,
                        std::int64_t columns) {
  constexpr auto kSide = static_cast<std::int64_t>(sizeof(__m128i) / sizeof(Element));
  std::int64_t column = 0;
  for (; column + kSide <= columns; column += kSide) {
    __m128i a, b, even, odd;
    std::memcpy(&a, source + 2 * column, sizeof(a));
    std::memcpy(&b, source + 2 * column + kSide, sizeof(b));
    take_turns<sizeof(Element)>(a, b, even, odd);
    std::memcpy(result + column, &even, sizeof(even));
    std::memcpy(result + result_stride + column, &odd, sizeof(odd));
  }
  return column;
}

#endif

}  // namespace

// In blocks whose pages stay in the TLB, and there a cache line's width of rows at a time, so that
// each line read is used up at once.
template <class Element>
void transpose(const Element* source, std::int64_t source_stride, Element* result,
               std::int64_t result_stride, std::int64_t rows, std::int64_t columns) {
#if defined(__SSE2__)
  constexpr auto kSide = static_cast<std::int64_t>(sizeof(__m128i) / sizeof(Element));
  constexpr auto kLine = kCacheLine / static_cast<std::int64_t>(sizeof(Element));
  // Rows that lie such a distance apart share a few places of the first-level cache: half as many
  // at a time, where it does no harm to read lines twice.
  constexpr std::int64_t kAlias = 4096;
  constexpr auto kBytes = static_cast<std::int64_t>(sizeof(Element));
  const bool halves = result_stride * kBytes % kAlias == 0 && source_stride * kBytes <= 2 * kAlias;
  const std::int64_t strip_rows = halves ? std::max(kLine / 2, kSide) : kLine;
  if (columns == 2 && result_stride == 2) {
    const std::int64_t done = interleave_columns(source, source_stride, result, rows);
    return transpose_each(source + done, source_stride, result + 2 * done, 2, rows - done, 2);
  }
  if (rows == 2 && source_stride == 2) {
    const std::int64_t done = part_pairs(source, result, result_stride, columns);
    return transpose_each(source + 2 * done, 2, result + done, result_stride, 2, columns - done);
  }
  const std::int64_t whole_rows = rows / kSide * kSide;
  const std::int64_t whole_columns = columns / kSide * kSide;
  for (std::int64_t block = 0; block < whole_columns; block += kBlockColumns) {
    const std::int64_t block_end = std::min(block + kBlockColumns, whole_columns);
    for (std::int64_t strip = 0; strip < whole_rows; strip += strip_rows) {
      const std::int64_t strip_end = std::min(strip + strip_rows, whole_rows);
      for (std::int64_t column = block; column < block_end; column += kSide) {
        for (std::int64_t row = strip; row < strip_end; row += kSide) {
          transpose_square(source + column * source_stride + row, source_stride,
                           result + row * result_stride + column, result_stride);
        }
      }
    }
  }
  transpose_each(source + whole_columns * source_stride, source_stride, result + whole_columns,
                 result_stride, whole_rows, columns - whole_columns);
  transpose_each(source + whole_rows, source_stride, result + whole_rows * result_stride,
                 result_stride, rows - whole_rows, columns);
#else
  transpose_each(source, source_stride, result, result_stride, rows, columns);
#endif
}

template void transpose(const std::uint8_t* source, std::int64_t source_stride,
                        std::uint8_t* result, std::int64_t result_stride, std::int64_t rows,
                        std::int64_t columns);
template void transpose(const std::uint16_t* source, std::int64_t source_stride,
                        std::uint16_t* result, std::int64_t result_stride, std::int64_t rows,
                        std::int64_t columns);
template void transpose(const std::uint32_t* source, std::int64_t source_stride,
                        std::uint32_t* result, std::int64_t result_stride, std::int64_t rows,
                        std::int64_t columns);
template void transpose(const std::uint64_t* source, std::int64_t source_stride,
                        std::uint64_t* result, std::int64_t result_stride, std::int64_t rows,
                        std::int64_t columns);
template void transpose(const float* source, std::int64_t source_stride, float* result,
                        std::int64_t result_stride, std::int64_t rows, std::int64_t columns);
template void transpose(const double* source, std::int64_t source_stride, double* result,
                        std::int64_t result_stride, std::int64_t rows, std::int64_t columns);

}  // namespace tutti::kernels
