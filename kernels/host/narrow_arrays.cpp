#include <tutti/kernels/host/instruction_set.h>
#include <tutti/kernels/host/narrow_arrays.h>

#include <array>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tutti::kernels {

namespace {

// Loops of a known length become vector code at -O2.
constexpr std::int64_t kHalvesAtOnce = 16;

template <class From, class To>
void convert_each(const From* from, To* to, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = To(static_cast<float>(from[i]));
}

#if defined(__x86_64__)

TUTTI_TARGET_AVX2 void widen_f16c(const Float16* from, float* to, std::int64_t count) {
  std::int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m128i half = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(half));
  }
  convert_each(from + i, to + i, count - i);
}

TUTTI_TARGET_AVX2 void narrow_f16c(const float* from, Float16* to, std::int64_t count) {
  std::int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m256 single = _mm256_loadu_ps(from + i);
    if (_mm256_movemask_ps(_mm256_cmp_ps(single, single, _CMP_UNORD_Q)) != 0) {
      // narrow_float.h drops a NaN's payload, the instruction does not.
      convert_each(from + i, to + i, 8);
      continue;
    }
    const __m128i half = _mm256_cvtps_ph(single, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), half);
  }
  convert_each(from + i, to + i, count - i);
}

#endif

}  // namespace

void widen(const Float16* from, float* to, std::int64_t count) {
#if defined(__x86_64__)
  if (instruction_set() != InstructionSet::baseline) return widen_f16c(from, to, count);
#endif
  convert_each(from, to, count);
}

void narrow(const float* from, Float16* to, std::int64_t count) {
#if defined(__x86_64__)
  if (instruction_set() != InstructionSet::baseline) return narrow_f16c(from, to, count);
#endif
  convert_each(from, to, count);
}

void widen(const BFloat16* from, float* to, std::int64_t count) {
  run_vectorised([&]<int kBytes>() TUTTI_INLINE {
    const BFloat16* __restrict source = from;
    float* __restrict result = to;
    std::int64_t i = 0;
    for (; i + kHalvesAtOnce <= count; i += kHalvesAtOnce) {
      for (std::int64_t lane = 0; lane < kHalvesAtOnce; ++lane) {
        const std::uint32_t bits = source[i + lane].bits;
        result[i + lane] = std::bit_cast<float>(bits << 16);
      }
    }
    for (; i < count; ++i) result[i] = source[i];
  });
}

void narrow(const float* from, BFloat16* to, std::int64_t count) {
  run_vectorised([&]<int kBytes>() TUTTI_INLINE {
    const float* __restrict source = from;
    BFloat16* __restrict result = to;
    std::int64_t i = 0;
    for (; i + kHalvesAtOnce <= count; i += kHalvesAtOnce) {
      for (std::int64_t lane = 0; lane < kHalvesAtOnce; ++lane) {
        const std::uint32_t bits = std::bit_cast<std::uint32_t>(source[i + lane]);
        const std::uint32_t rounded = (bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16;
        const std::uint32_t quiet = (bits >> 16) | 0x40U;
        const bool nan = (bits & 0x7FFFFFFFU) > 0x7F800000U;
        result[i + lane].bits = static_cast<std::uint16_t>(nan ? quiet : rounded);
      }
    }
    for (; i < count; ++i) result[i] = BFloat16(source[i]);
  });
}

namespace {

// Of 8 bits: what each of the 256 numbers is.
template <class T>
constexpr std::array<float, 256> all_numbers() {
  std::array<float, 256> out;
  T narrow;
  for (std::size_t bits = 0; bits < out.size(); ++bits) {
    narrow.bits = static_cast<std::uint8_t>(bits);
    out[bits] = narrow;
  }
  return out;
}

template <class T>
void look_up(const T* from, float* to, std::int64_t count) {
  static constexpr std::array<float, 256> kNumbers = all_numbers<T>();
  for (std::int64_t i = 0; i < count; ++i) to[i] = kNumbers[from[i].bits];
}

}  // namespace

void widen(const Float8E4M3FN* from, float* to, std::int64_t count) { look_up(from, to, count); }
void widen(const Float8E5M2* from, float* to, std::int64_t count) { look_up(from, to, count); }
void narrow(const float* from, Float8E4M3FN* to, std::int64_t count) {
  convert_each(from, to, count);
}
void narrow(const float* from, Float8E5M2* to, std::int64_t count) {
  convert_each(from, to, count);
}

}  // namespace tutti::kernels
