#include <tutti/ir/philox.h>
#include <tutti/ir/support/error.h>
#include <tutti/kernels/host/half_arrays.h>
#include <tutti/kernels/host/instruction_set.h>
#include <tutti/kernels/host/random.h>
#include <tutti/kernels/host/row_tiling.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string>

namespace tutti::kernels {

namespace {

using ir::PhiloxStream;

// Elements of a tile; whole groups of blocks, whatever the dtype.
constexpr std::int64_t kTileElements = 16 * 1024;

// Blocks that are computed side by side. Loops over so many become vector code at -O2.
constexpr std::size_t kBlocks = 16;

struct Blocks {
  // words[w][i] is word w of block i.
  std::array<std::array<std::uint32_t, kBlocks>, 4> words;

  std::uint64_t low(std::size_t i) const { return words[0][i] | std::uint64_t{words[1][i]} << 32; }
  std::uint64_t high(std::size_t i) const { return words[2][i] | std::uint64_t{words[3][i]} << 32; }
};

// ir::philox of kBlocks counters at a time.
TUTTI_INLINE inline void philox(Blocks& blocks, std::uint64_t key) {
  auto low_key = static_cast<std::uint32_t>(key);
  auto high_key = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    Blocks next;
    for (std::size_t i = 0; i < kBlocks; ++i) {
      const std::uint64_t first = std::uint64_t{0xD2511F53U} * blocks.words[0][i];
      const std::uint64_t second = std::uint64_t{0xCD9E8D57U} * blocks.words[2][i];
      next.words[0][i] = static_cast<std::uint32_t>(second >> 32) ^ blocks.words[1][i] ^ low_key;
      next.words[1][i] = static_cast<std::uint32_t>(second);
      next.words[2][i] = static_cast<std::uint32_t>(first >> 32) ^ blocks.words[3][i] ^ high_key;
      next.words[3][i] = static_cast<std::uint32_t>(first);
    }
    blocks = next;
    low_key += 0x9E3779B9U;
    high_key += 0xBB67AE85U;
  }
}

using Counters = std::array<std::uint64_t, kBlocks>;

// The blocks with these numbers of a stream.
TUTTI_INLINE inline Blocks blocks_of(std::uint64_t key, PhiloxStream stream,
                                     const Counters& numbers) {
  Blocks blocks;
  for (std::size_t i = 0; i < kBlocks; ++i) {
    blocks.words[0][i] = static_cast<std::uint32_t>(numbers[i]);
    blocks.words[1][i] = static_cast<std::uint32_t>(numbers[i] >> 32);
    blocks.words[2][i] = 0;
    blocks.words[3][i] = static_cast<std::uint32_t>(stream);
  }
  philox(blocks, key);
  return blocks;
}

TUTTI_INLINE inline Blocks blocks_from(std::uint64_t key, PhiloxStream stream,
                                       std::uint64_t number) {
  Counters numbers;
  for (std::size_t i = 0; i < kBlocks; ++i) numbers[i] = number + i;
  return blocks_of(key, stream, numbers);
}

// Fills elements [begin, end), `begin` being a whole number of groups of kBlocks blocks, each of
// which makes kPerBlock elements. make(blocks, made) makes those of a group.
template <std::size_t kPerBlock, class T, class Make>
TUTTI_INLINE inline void fill(std::uint64_t key, PhiloxStream stream, T* result, std::int64_t begin,
                              std::int64_t end, const Make& make) {
  constexpr std::int64_t kGroup = kBlocks * kPerBlock;
  static_assert(kTileElements % kGroup == 0);
  std::array<T, kGroup> made;
  for (std::int64_t i = begin; i < end; i += kGroup) {
    make(blocks_from(key, stream, static_cast<std::uint64_t>(i) / kPerBlock), made);
    const auto used = static_cast<std::size_t>(std::min(kGroup, end - i));
    std::memcpy(result + i, made.data(), used * sizeof(T));
  }
}

// The elements of a group, four per block, each a function of its word.
template <class T, class F>
TUTTI_INLINE inline void each_word(const Blocks& blocks, std::array<T, 4 * kBlocks>& made,
                                   const F& element) {
  for (std::size_t i = 0; i < kBlocks; ++i) {
    for (std::size_t word = 0; word < 4; ++word)
      made[4 * i + word] = element(blocks.words[word][i]);
  }
}

void fill_bits(std::uint64_t key, std::uint32_t* result, std::int64_t begin, std::int64_t end) {
  run_vectorised([&]<int kBytes>() TUTTI_INLINE {
    fill<4>(key, PhiloxStream::bits, result, begin, end, [](const Blocks& blocks, auto& made) {
      each_word(blocks, made, [](std::uint32_t bits) { return bits; });
    });
  });
}

// As ir::random_uniform.
template <class T>
void fill_uniform(std::uint64_t key, T* result, std::int64_t begin, std::int64_t end) {
  run_vectorised([&]<int kBytes>() TUTTI_INLINE {
    if constexpr (std::is_same_v<T, double>) {
      fill<2>(key, PhiloxStream::bits, result, begin, end, [](const Blocks& blocks, auto& made) {
        for (std::size_t i = 0; i < kBlocks; ++i) {
          made[2 * i] = static_cast<double>(blocks.low(i) >> 11) * 0x1p-53;
          made[2 * i + 1] = static_cast<double>(blocks.high(i) >> 11) * 0x1p-53;
        }
      });
    } else {
      // As many bits as T has significant ones: the conversion from float is exact.
      constexpr int kBits = std::is_same_v<T, Float16> ? 11 : std::is_same_v<T, BFloat16> ? 8 : 24;
      fill<4>(key, PhiloxStream::bits, result, begin, end, [](const Blocks& blocks, auto& made) {
        std::array<float, 4 * kBlocks> singles;
        each_word(blocks, singles, [](std::uint32_t bits) {
          // Through a signed integer: vector units have no conversion from unsigned ones.
          const auto leading = static_cast<std::int32_t>(bits >> (32 - kBits));
          return static_cast<float>(leading) * (1.0F / static_cast<float>(1 << kBits));
        });
        if constexpr (std::is_same_v<T, float>) {
          made = singles;
        } else {
          narrow(singles.data(), made.data(), static_cast<std::int64_t>(made.size()));
        }
      });
    }
  });
}

// A double rounded once per step, as the interpreter does it.
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
    fill<2>(key, PhiloxStream::normal, result, begin, end, [](const Blocks& blocks, auto& made) {
      for (std::size_t i = 0; i < kBlocks; ++i) {
        const double source = (static_cast<double>(blocks.low(i) >> 11) + 1) * 0x1p-53;
        const double angle =
            6.283185307179586476925 * (static_cast<double>(blocks.high(i) >> 11) * 0x1p-53);
        const double radius = std::sqrt(-2 * std::log(source));
        made[2 * i] = rounded<T>(radius * std::cos(angle));
        made[2 * i + 1] = rounded<T>(radius * std::sin(angle));
      }
    });
  });
}

RowTiling tiling(std::int64_t elements) { return {1, elements, kTileElements}; }

[[noreturn]] void refuse(const Random& spec) {
  throw InternalError("no such random numbers of dtype " + std::string(name_of(spec.dtype)));
}

}  // namespace

std::int64_t tiles(const Random& spec) {
  const bool fits =
      spec.kind == RandomKind::bits ? spec.dtype == DType::u32 : is_floating(spec.dtype);
  if (!fits) refuse(spec);
  return tiling(spec.elements).tiles();
}

void run(const Random& spec, std::uint64_t key, void* result, std::int64_t begin,
         std::int64_t end) {
  const std::int64_t first = begin * kTileElements;
  const std::int64_t last = std::min(end * kTileElements, spec.elements);
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

std::int64_t tiles(const FoldIn& spec) { return tiling(spec.elements).tiles(); }

void run(const FoldIn& spec, std::uint64_t key, const std::uint64_t* numbers, std::uint64_t* result,
         std::int64_t begin, std::int64_t end) {
  const std::int64_t first = begin * kTileElements;
  const std::int64_t last = std::min(end * kTileElements, spec.elements);
  run_vectorised([&]<int kBytes>() TUTTI_INLINE {
    constexpr auto kGroup = static_cast<std::int64_t>(kBlocks);
    for (std::int64_t i = first; i < last; i += kGroup) {
      const auto used = static_cast<std::size_t>(std::min(kGroup, last - i));
      Counters counters{};
      std::copy_n(numbers + i, used, counters.begin());
      const Blocks blocks = blocks_of(key, PhiloxStream::fold, counters);
      for (std::size_t n = 0; n < used; ++n)
        result[i + static_cast<std::int64_t>(n)] = blocks.low(n);
    }
  });
}

}  // namespace tutti::kernels
