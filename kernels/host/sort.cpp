#include <tutti/ir/support/error.h>
#include <tutti/kernels/host/row_tiling.h>
#include <tutti/kernels/host/scratch.h>
#include <tutti/kernels/host/sort.h>

#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <limits>
#include <utility>

namespace tutti::kernels {

namespace {

// Elements that make a tile.
constexpr std::int64_t kSortTile = 8 * 1024;
// Shorter rows are sorted by comparisons.
constexpr std::int64_t kRadixRow = 256;
constexpr int kDigitBits = 8;
constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;

RowTiling sort_tiling(const Sort& spec) {
  const std::int64_t size = std::max<std::int64_t>(spec.size, 1);
  return {spec.outer, spec.inner, std::max<std::int64_t>(kSortTile / size, 1)};
}

// An unsigned integer that is ordered as the elements are.
template <class T>
auto key_of(T value) {
  if constexpr (std::is_unsigned_v<T>) {
    return value;
  } else if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<U>(static_cast<U>(value) ^ (U{1} << (sizeof(U) * 8 - 1)));
  } else if constexpr (is_narrow_float<T>) {
    return key_of(float(value));
  } else {
    using U = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    constexpr U kSign = U{1} << (sizeof(U) * 8 - 1);
    if (value != value) return ~U{0};
    const U bits = std::bit_cast<U>(value == 0 ? T(0) : value);
    return (bits & kSign) != 0 ? ~bits : bits | kSign;
  }
}

// A key and where its element stood. No two are equal, so that every way to sort them is stable.
template <class Word>
struct Entry {
  Word key;
  Word index;

  friend auto operator<=>(const Entry&, const Entry&) = default;
};

// Sorts by the keys' digits, from the lowest on; the entries are in the order of their indices.
// `spare` has room for as many. Returns where they lie in the end, which is one of the two.
template <class Word>
Entry<Word>* radix_sort(Entry<Word>* entries, Entry<Word>* spare, std::int64_t count) {
  constexpr std::size_t kPasses = sizeof(Word) * 8 / kDigitBits;
  std::array<std::array<std::int64_t, kDigits>, kPasses> counts{};
  const auto digit = [](Word key, std::size_t pass) {
    return static_cast<std::size_t>(key >> (pass * kDigitBits)) % kDigits;
  };
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::size_t pass = 0; pass < kPasses; ++pass) ++counts[pass][digit(entries[i].key, pass)];
  }
  for (std::size_t pass = 0; pass < kPasses; ++pass) {
    std::array<std::int64_t, kDigits>& places = counts[pass];
    if (places[digit(entries[0].key, pass)] == count) continue;  // the same in all
    std::int64_t before = 0;
    for (std::int64_t& place : places) before += std::exchange(place, before);
    for (std::int64_t i = 0; i < count; ++i) {
      spare[places[digit(entries[i].key, pass)]++] = entries[i];
    }
    std::swap(entries, spare);
  }
  return entries;
}

// A row whose elements are `stride` apart.
template <class Word, class T>
void sort_row(const Sort& spec, const T* x, T* values, std::int64_t* indices, std::int64_t stride) {
  thread_local Scratch scratch;
  const auto memory = scratch.use<Entry<Word>>(2 * spec.size);
  auto* entries = memory.get();
  for (std::int64_t i = 0; i < spec.size; ++i) {
    const auto key = key_of(x[i * stride]);
    using Key = std::remove_const_t<decltype(key)>;
    const Key ordered = spec.descending ? static_cast<Key>(~key) : key;
    entries[i] = {static_cast<Word>(ordered), static_cast<Word>(i)};
  }
  if (spec.size < kRadixRow) {
    std::sort(entries, entries + spec.size);
  } else {
    entries = radix_sort(entries, entries + spec.size, spec.size);
  }
  for (std::int64_t i = 0; i < spec.size; ++i) {
    const auto from = static_cast<std::int64_t>(entries[i].index);
    values[i * stride] = x[from * stride];
    indices[i * stride] = from;
  }
}

template <class Word, class T>
void sort_tile(const Sort& spec, const T* x, T* values, std::int64_t* indices,
               const RowTiling::Tile& tile) {
  for (std::int64_t outer = tile.row_begin; outer < tile.row_end; ++outer) {
    for (std::int64_t i = tile.column_begin; i < tile.column_end; ++i) {
      const std::int64_t first = outer * spec.size * spec.inner + i;
      sort_row<Word>(spec, x + first, values + first, indices + first, spec.inner);
    }
  }
}

}  // namespace

std::int64_t tiles(const Sort& spec) { return spec.size == 0 ? 0 : sort_tiling(spec).tiles(); }

void run(const Sort& spec, const void* x, void* values, std::int64_t* indices, std::int64_t begin,
         std::int64_t end) {
  visit_dtype(spec.dtype, [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_same_v<T, bool>) {
      throw InternalError("sort of bool");
    } else {
      const auto* from = static_cast<const T*>(x);
      auto* to = static_cast<T*>(values);
      for_each_tile(sort_tiling(spec), begin, end, [&](const RowTiling::Tile& tile) {
        if (sizeof(T) == 8 || spec.size > std::numeric_limits<std::uint32_t>::max()) {
          sort_tile<std::uint64_t>(spec, from, to, indices, tile);
        } else {
          sort_tile<std::uint32_t>(spec, from, to, indices, tile);
        }
      });
    }
  });
}

}  // namespace tutti::kernels
