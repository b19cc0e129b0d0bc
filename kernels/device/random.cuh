#pragma once

#include "bits.cuh"
#include "computed.cuh"
#include "packs.cuh"
#include "types.cuh"

// Philox 4x32-10, the counter-based generator of Salmon et al., "Parallel random numbers: as easy
// as 1, 2, 3" (SC 2011). Element i is a function of the key and i alone, the same as on the host.
struct PhiloxBlock {
  u32 words[4];

  __device__ u64 pair(int i) const { return words[2 * i] | u64(words[2 * i + 1]) << 32; }
};

// What a counter is used for: streams of one key never meet. It is the counter's last word.
enum PhiloxStream : u32 { kBitsStream = 0, kFoldStream = 1, kNormalStream = 2 };

__device__ inline PhiloxBlock philox(u64 key, PhiloxStream stream, u64 number) {
  u32 word0 = u32(number), word1 = u32(number >> 32), word2 = 0, word3 = stream;
  u32 low_key = u32(key), high_key = u32(key >> 32);
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const u64 first = u64(0xD2511F53U) * word0;
    const u64 second = u64(0xCD9E8D57U) * word2;
    word0 = u32(second >> 32) ^ word1 ^ low_key;
    word1 = u32(second);
    word2 = u32(first >> 32) ^ word3 ^ high_key;
    word3 = u32(first);
    low_key += 0x9E3779B9U;
    high_key += 0xBB67AE85U;
  }
  return {{word0, word1, word2, word3}};
}

// A distribution makes `count` neighbouring elements of a block.
struct Bits {
  using Element = u32;
  static constexpr PhiloxStream stream = kBitsStream;
  static constexpr int count = 4;
  static __device__ void make(const PhiloxBlock& block, u32* made) {
#pragma unroll
    for (int i = 0; i < count; ++i) made[i] = block.words[i];
  }
};

// As many random bits as the type has significant ones, so that nothing is rounded.
template <class T, int significant>
struct Uniform {
  using Element = T;
  static constexpr PhiloxStream stream = kBitsStream;
  static constexpr int count = 4;
  static __device__ void make(const PhiloxBlock& block, T* made) {
#pragma unroll
    for (int i = 0; i < count; ++i) {
      const f32 number = f32(block.words[i] >> (32 - significant)) * (1.0F / f32(1 << significant));
      made[i] = Computed<T>::to(number);
    }
  }
};
template <>
struct Uniform<f64, 53> {
  using Element = f64;
  static constexpr PhiloxStream stream = kBitsStream;
  static constexpr int count = 2;
  static __device__ void make(const PhiloxBlock& block, f64* made) {
#pragma unroll
    for (int i = 0; i < count; ++i) made[i] = f64(block.pair(i) >> 11) * 0x1p-53;
  }
};

// The arithmetic of ir/box_muller.h, operation by operation, for the same bits.
__device__ inline f64 atanh_factors(f64 z) {
  return 1.0 / 3 +
         z * (1.0 / 5 +
              z * (1.0 / 7 +
                   z * (1.0 / 9 +
                        z * (1.0 / 11 +
                             z * (1.0 / 13 +
                                  z * (1.0 / 15 +
                                       z * (1.0 / 17 + z * (1.0 / 19 + z * (1.0 / 21)))))))));
}
__device__ inline f64 sine_factors(f64 z) {
  return -1.0 / 6 +
         z * (1.0 / 120 + z * (-1.0 / 5040 +
                               z * (1.0 / 362880 + z * (-1.0 / 39916800 +
                                                        z * (1.0 / 6227020800 +
                                                             z * (-1.0 / 1307674368000 +
                                                                  z * (1.0 / 355687428096000)))))));
}
__device__ inline f64 cosine_factors(f64 z) {
  return 1.0 / 24 +
         z * (-1.0 / 720 +
              z * (1.0 / 40320 + z * (-1.0 / 3628800 +
                                      z * (1.0 / 479001600 + z * (-1.0 / 87178291200 +
                                                                  z * (1.0 / 20922789888000))))));
}

// Of a normal number above 0.
__device__ inline f64 logarithm(f64 x) {
  const i64 bits = bits_as<i64>(x);
  const i64 exponent = (bits - 0x3FE6A09E667F3BCDLL) >> 52;
  const f64 m = bits_as<f64>(bits - exponent * (1LL << 52));
  const f64 count = f64(exponent);
  const f64 f = m - 1;
  const f64 s = f / (2 + f);
  const f64 z = s * s;
  const f64 low = 2 * s * z * atanh_factors(z) + count * 0x1.ef35793c76730p-45;
  return count * 0x1.62e42fefa3800p-1 + (2 * s + low);
}

// Box and Muller 1958: two per block, in f64, rounded to f32 and then to the type.
template <class T>
struct Normal {
  using Element = T;
  static constexpr PhiloxStream stream = kNormalStream;
  static constexpr int count = 2;
  static __device__ void make(const PhiloxBlock& block, T* made) {
    const f64 length = sqrt(-2 * logarithm((f64(block.pair(0) >> 11) + 1) * 0x1p-53));
    const f64 quarters = f64(block.pair(1) >> 11) * 0x1p-51;
    const f64 whole = 0x1.8p52;
    const f64 nearest = quarters + whole;
    const u64 quarter = bits_as<u64>(nearest);
    const f64 x = (quarters - (nearest - whole)) * 1.57079632679489661923;
    const f64 z = x * x;
    const f64 sine = x + x * z * sine_factors(z);
    const f64 cosine = 1 - (0.5 * z - z * z * cosine_factors(z));
    const bool swapped = (quarter & 1) != 0;
    const f64 along = length * (swapped ? sine : cosine);
    const f64 across = length * (swapped ? cosine : sine);
    const f64 first = bits_as<f64>(bits_as<u64>(along) ^ (((quarter + 1) & 2) << 62));
    const f64 second = bits_as<f64>(bits_as<u64>(across) ^ ((quarter & 2) << 62));
    if constexpr (sizeof(T) == sizeof(f64)) {
      made[0] = first;
      made[1] = second;
    } else {
      made[0] = Computed<T>::to(f32(first));
      made[1] = Computed<T>::to(f32(second));
    }
  }
};

template <class Distribution, u64 elements>
__device__ void fill_random(const u64* key, void* result) {
  using Element = typename Distribution::Element;
  constexpr int count = Distribution::count;
  Element* to = static_cast<Element*>(result);
  const u64 step = u64(gridDim.x) * blockDim.x;
  for (u64 number = u64(blockIdx.x) * blockDim.x + threadIdx.x; number * count < elements;
       number += step) {
    const PhiloxBlock block = philox(*key, Distribution::stream, number);
    Pack<Element, count> made;
    Distribution::make(block, made.at);
    if ((number + 1) * count <= elements) {
      reinterpret_cast<Pack<Element, count>*>(to)[number] = made;
      continue;
    }
#pragma unroll
    for (int i = 0; i < count; ++i) {
      if (number * count + i < elements) to[number * count + i] = made.at[i];
    }
  }
}

// result[i] = the new key of *key and numbers[i].
template <u64 elements>
__device__ void fold_numbers(const u64* key, const u64* numbers, u64* result) {
  const u64 step = u64(gridDim.x) * blockDim.x;
  for (u64 i = u64(blockIdx.x) * blockDim.x + threadIdx.x; i < elements; i += step) {
    result[i] = philox(*key, kFoldStream, numbers[i]).pair(0);
  }
}
