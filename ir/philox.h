#pragma once

#include <tutti/ir/box_muller.h>
#include <tutti/ir/dtype.h>

#include <array>
#include <cstdint>

namespace tutti::ir {

// Philox 4x32-10, the counter-based generator of Salmon et al., "Parallel random numbers: as easy
// as 1, 2, 3" (SC 2011): ten rounds of two 32x32-bit multiplications with a bumped key.
using PhiloxBlock = std::array<std::uint32_t, 4>;

constexpr PhiloxBlock philox(PhiloxBlock counter, std::uint64_t key) {
  auto low_key = static_cast<std::uint32_t>(key);
  auto high_key = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t first = std::uint64_t{0xD2511F53U} * counter[0];
    const std::uint64_t second = std::uint64_t{0xCD9E8D57U} * counter[2];
    counter = {static_cast<std::uint32_t>(second >> 32) ^ counter[1] ^ low_key,
               static_cast<std::uint32_t>(second),
               static_cast<std::uint32_t>(first >> 32) ^ counter[3] ^ high_key,
               static_cast<std::uint32_t>(first)};
    low_key += 0x9E3779B9U;
    high_key += 0xBB67AE85U;
  }
  return counter;
}

// What a counter is used for: streams of one key never meet. It is the counter's last word.
enum class PhiloxStream : std::uint32_t { bits = 0, fold = 1, normal = 2 };

constexpr PhiloxBlock philox_block(std::uint64_t key, PhiloxStream stream, std::uint64_t number) {
  return philox({static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32), 0,
                 static_cast<std::uint32_t>(stream)},
                key);
}

// The i-th 32 random bits of a key.
constexpr std::uint32_t random_bits(std::uint64_t key, std::uint64_t i) {
  return philox_block(key, PhiloxStream::bits, i / 4)[i % 4];
}

// The i-th 64 random bits of a key.
constexpr std::uint64_t random_bits_64(std::uint64_t key, std::uint64_t i) {
  const PhiloxBlock block = philox_block(key, PhiloxStream::bits, i / 2);
  return block[i % 2 * 2] | std::uint64_t{block[i % 2 * 2 + 1]} << 32;
}

// A new key from a key and a number.
constexpr std::uint64_t fold_in(std::uint64_t key, std::uint64_t number) {
  const PhiloxBlock block = philox_block(key, PhiloxStream::fold, number);
  return block[0] | std::uint64_t{block[1]} << 32;
}

// The i-th uniform number of [0, 1): as many random bits as the type has significant ones, so that
// rounding never gives 1.
template <class T>
T random_uniform(std::uint64_t key, std::uint64_t i) {
  if constexpr (std::is_same_v<T, double>) {
    return static_cast<double>(random_bits_64(key, i) >> 11) * 0x1p-53;
  } else {
    constexpr int kBits = mantissa_bits(dtype_of<T>) + 1;
    const auto numerator = static_cast<float>(random_bits(key, i) >> (32 - kBits));
    return static_cast<T>(numerator * (1.0F / static_cast<float>(1U << kBits)));
  }
}

// The i-th normal number: two per block, in double, rounded once.
inline double random_normal(std::uint64_t key, std::uint64_t i) {
  const PhiloxBlock block = philox_block(key, PhiloxStream::normal, i / 2);
  const std::uint64_t first = block[0] | std::uint64_t{block[1]} << 32;
  const std::uint64_t second = block[2] | std::uint64_t{block[3]} << 32;
  const NormalPair pair =
      box_muller(static_cast<double>(first >> 11), static_cast<double>(second >> 11));
  return i % 2 == 0 ? pair.first : pair.second;
}

}  // namespace tutti::ir
