#include <tutti/ir/philox.h>
#include <tutti/ir/support/error.h>
#include <tutti/kernels/host/instruction_set.h>
#include <tutti/kernels/host/narrow_arrays.h>
#include <tutti/kernels/host/random.h>
#include <tutti/kernels/host/row_tiling.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <utility>

namespace tutti::kernels {

namespace {

using ir::PhiloxStream;

// Elements of a tile; whole groups of blocks, whatever the dtype.
constexpr std::int64_t kRandomTile = 16 * 1024;

// Blocks that are made at a time. Loops over a known number become vector code at -O2.
constexpr std::size_t kBlocks = 32;
using Counters = std::array<std::uint64_t, kBlocks>;
// Block i is the 64-bit numbers 2 i and 2 i + 1; its words are their halves, the lower one first.
using Bits = std::array<std::uint64_t, 2 * kBlocks>;

// ir::philox_block of kBlocks numbers, as many side by side as a vector has 64-bit lanes.
template <int kBytes>
TUTTI_INLINE inline void make_blocks(std::uint64_t key, PhiloxStream stream,
                                     const Counters& numbers, Bits& bits) {
  constexpr std::size_t kLanes = kBytes / sizeof(std::uint64_t);
  typedef std::uint64_t Vector [[gnu::vector_size(kBytes)]];
  constexpr std::uint64_t kWord = 0xFFFFFFFFU;
  std::array<std::uint64_t, kBlocks> lows;
  std::array<std::uint64_t, kBlocks> highs;
  for (std::size_t i = 0; i < kBlocks; i += kLanes) {
    Vector number;
    std::memcpy(&number, &numbers[i], sizeof(number));
    Vector word0 = number & kWord;  // a word is the lower half of a lane
    Vector word1 = number >> 32;
    Vector word2 = {};
    Vector word3 = word2 + static_cast<std::uint64_t>(stream);
    std::uint64_t low_key = key & kWord;
    std::uint64_t high_key = key >> 32;
    for (int round = 0; round < 10; ++round) {
      const Vector first = word0 * std::uint64_t{0xD2511F53U};
      const Vector second = word2 * std::uint64_t{0xCD9E8D57U};
      word0 = (second >> 32) ^ word1 ^ low_key;
      word1 = second & kWord;
      word2 = (first >> 32) ^ word3 ^ high_key;
      word3 = first & kWord;
      low_key = (low_key + 0x9E3779B9U) & kWord;
      high_key = (high_key + 0xBB67AE85U) & kWord;
    }
    const Vector low = word0 | (word1 << 32);
    const Vector high = word2 | (word3 << 32);
    std::memcpy(&lows[i], &low, sizeof(low));
    std::memcpy(&highs[i], &high, sizeof(high));
  }
  for (std::size_t i = 0; i < kBlocks; ++i) {
    bits[2 * i] = lows[i];
    bits[2 * i + 1] = highs[i];
  }
}

// The words of blocks in the order of the elements they make.
TUTTI_INLINE inline std::array<std::uint32_t, 4 * kBlocks> words_of(const Bits& bits) {
  std::array<std::uint32_t, 4 * kBlocks> words;
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(words.data(), bits.data(), sizeof(words));
  } else {
    for (std::size_t i = 0; i < words.size(); ++i) {
      words[i] = static_cast<std::uint32_t>(bits[i / 2] >> (i % 2 * 32));
    }
  }
  return words;
}

// Fills elements [begin, end), `begin` being a whole number of groups of kBlocks blocks, each of
// which makes kPerBlock elements. make(bits, made) makes those of a group.
template <std::size_t kPerBlock, int kBytes, class T, class Make>
TUTTI_INLINE inline void fill_random(std::uint64_t key, PhiloxStream stream, T* result,
                                     std::int64_t begin, std::int64_t end, const Make& make) {
  constexpr std::int64_t kGroup = kBlocks * kPerBlock;
  static_assert(kRandomTile % kGroup == 0);
  Counters numbers;
  Bits bits;
  std::array<T, kGroup> made;
  for (std::int64_t i = begin; i < end; i += kGroup) {
    const std::uint64_t first = static_cast<std::uint64_t>(i) / kPerBlock;
    for (std::size_t block = 0; block < kBlocks; ++block) numbers[block] = first + block;
    make_blocks<kBytes>(key, stream, numbers, bits);
    make(bits, made);
    const auto used = static_cast<std::size_t>(std::min(kGroup, end - i));
    std::memcpy(result + i, made.data(), used * sizeof(T));
  }
}

void fill_bits(std::uint64_t key, std::uint32_t* result, std::int64_t begin, std::int64_t end) {
  run_vectorised([&]<int kBytes>() TUTTI_INLINE {
    fill_random<4, kBytes>(key, PhiloxStream::bits, result, begin, end,
                           [](const Bits& bits, auto& made)
                               TUTTI_INLINE { made = words_of(bits); });
  });
}

// As ir::random_uniform. Through signed integers: vector units have no conversion from unsigned
// ones.
TUTTI_INLINE inline void make_uniform(const Bits& bits, std::array<double, 2 * kBlocks>& made) {
  for (std::size_t i = 0; i < made.size(); ++i) {
    made[i] = static_cast<double>(static_cast<std::int64_t>(bits[i] >> 11)) * 0x1p-53;
  }
}

template <int kSignificant>
TUTTI_INLINE inline void make_singles(const Bits& bits, std::array<float, 4 * kBlocks>& made) {
  const auto words = words_of(bits);
  for (std::size_t i = 0; i < made.size(); ++i) {
    const auto leading = static_cast<std::int32_t>(words[i] >> (32 - kSignificant));
    made[i] = static_cast<float>(leading) * (1.0F / static_cast<float>(1 << kSignificant));
  }
}

template <class T>
TUTTI_INLINE inline void make_uniform(const Bits& bits, std::array<T, 4 * kBlocks>& made) {
  if constexpr (std::is_same_v<T, float>) {
    make_singles<24>(bits, made);
  } else {
    // As many bits as T has significant ones, so that nothing is rounded.
    std::array<float, 4 * kBlocks> singles;
    make_singles<mantissa_bits(dtype_of<T>) + 1>(bits, singles);
    narrow(singles.data(), made.data(), static_cast<std::int64_t>(made.size()));
  }
}

template <class T>
void fill_uniform(std::uint64_t key, T* result, std::int64_t begin, std::int64_t end) {
  constexpr std::size_t kPerBlock = std::is_same_v<T, double> ? 2 : 4;
  run_vectorised([&]<int kBytes>() TUTTI_INLINE {
    fill_random<kPerBlock, kBytes>(key, PhiloxStream::bits, result, begin, end,
                                   [](const Bits& bits, auto& made)
                                       TUTTI_INLINE { make_uniform(bits, made); });
  });
}

// A double rounded to f32 and then to T, as the interpreter does it.
template <class T>
T rounded(double value) {
  if constexpr (std::is_same_v<T, double>) {
    return value;
  } else {
    return T(static_cast<float>(value));
  }
}

// As ir::random_normal, with both numbers of a block at once.
template <class T>
void fill_normal(std::uint64_t key, T* result, std::int64_t begin, std::int64_t end) {
  run_vectorised([&]<int kBytes>() TUTTI_INLINE {
    const auto make = [](const Bits& bits, auto& made) TUTTI_INLINE {
      std::array<double, kBlocks> radius;
      std::array<double, kBlocks> turn;
      std::array<double, kBlocks> first;
      std::array<double, kBlocks> second;
      for (std::size_t i = 0; i < kBlocks; ++i) {
        radius[i] = static_cast<double>(static_cast<std::int64_t>(bits[2 * i] >> 11));
        turn[i] = static_cast<double>(static_cast<std::int64_t>(bits[2 * i + 1] >> 11));
      }
      for (std::size_t i = 0; i < kBlocks; ++i) {
        const ir::NormalPair pair = ir::box_muller(radius[i], turn[i]);
        first[i] = pair.first;
        second[i] = pair.second;
      }
      for (std::size_t i = 0; i < kBlocks; ++i) {
        made[2 * i] = rounded<T>(first[i]);
        made[2 * i + 1] = rounded<T>(second[i]);
      }
    };
    fill_random<2, kBytes>(key, PhiloxStream::normal, result, begin, end, make);
  });
}

RowTiling random_tiling(std::int64_t elements) { return {1, elements, kRandomTile}; }

[[noreturn]] void refuse(const Random& spec) {
  throw InternalError("no such random numbers of dtype " + std::string(name_of(spec.dtype)));
}

}  // namespace

std::int64_t tiles(const Random& spec) {
  const bool fits =
      spec.kind == RandomKind::bits ? spec.dtype == DType::u32 : is_floating(spec.dtype);
  if (!fits) refuse(spec);
  return random_tiling(spec.elements).tiles();
}

void run(const Random& spec, std::uint64_t key, void* result, std::int64_t begin,
         std::int64_t end) {
  const std::int64_t first = begin * kRandomTile;
  const std::int64_t last = std::min(end * kRandomTile, spec.elements);
  if (spec.kind == RandomKind::bits && spec.dtype == DType::u32) {
    return fill_bits(key, static_cast<std::uint32_t*>(result), first, last);
  }
  visit_dtype(spec.dtype, [&]<class T>(std::type_identity<T>) {
    if constexpr (is_floating(dtype_of<T>)) {
      if (spec.kind == RandomKind::uniform) {
        return fill_uniform(key, static_cast<T*>(result), first, last);
      }
      if (spec.kind == RandomKind::normal) {
        return fill_normal(key, static_cast<T*>(result), first, last);
      }
    }
    refuse(spec);
  });
}

std::int64_t tiles(const FoldIn& spec) { return random_tiling(spec.elements).tiles(); }

void run(const FoldIn& spec, std::uint64_t key, const std::uint64_t* numbers, std::uint64_t* result,
         std::int64_t begin, std::int64_t end) {
  const std::int64_t first = begin * kRandomTile;
  const std::int64_t last = std::min(end * kRandomTile, spec.elements);
  run_vectorised([&]<int kBytes>() TUTTI_INLINE {
    constexpr auto kGroup = static_cast<std::int64_t>(kBlocks);
    Counters counters{};
    Bits bits;
    for (std::int64_t i = first; i < last; i += kGroup) {
      const auto used = static_cast<std::size_t>(std::min(kGroup, last - i));
      std::memcpy(counters.data(), numbers + i, used * sizeof(std::uint64_t));
      make_blocks<kBytes>(key, PhiloxStream::fold, counters, bits);
      for (std::size_t n = 0; n < used; ++n) result[i + static_cast<std::int64_t>(n)] = bits[2 * n];
    }
  });
}

}  // namespace tutti::kernels
