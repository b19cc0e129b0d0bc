#include <tutti/ir/order.h>
#include <tutti/ir/support/error.h>
#include <tutti/kernels/host/instruction_set.h>
#include <tutti/kernels/host/per_thread.h>
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

// Columns that are sorted one after another once their elements were copied side by side: memory is
// read and written in runs of so many.
constexpr std::int64_t kColumns = 16;
// Elements of such copies; a longer column is copied alone.
constexpr std::int64_t kCopied = std::int64_t{1} << 20;

RowTiling sort_tiling(const Sort& spec) {
  const std::int64_t size = std::max<std::int64_t>(spec.size, 1);
  // Long columns, too, share lines of the cache, as long as there are tiles enough.
  constexpr std::int64_t kTiles = 64;
  const std::int64_t fewest =
      std::clamp<std::int64_t>(spec.outer * spec.inner / kTiles, 1,
                               std::min(kColumns, std::max<std::int64_t>(spec.inner, 1)));
  return {spec.outer, spec.inner, std::max(kSortTile / size, fewest)};
}

// Elements that are looked at together while a row is searched.
constexpr std::int64_t kLookedAt = 64;
// Beside twice as many as are kept, candidates that are collected before the worst are dropped, at
// most.
constexpr std::int64_t kCandidates = 256;

// An unsigned integer that is ordered as the elements are. Without branches: loops over elements
// become vector code.
template <class T>
TUTTI_INLINE inline auto key_of(T value) {
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
    const U given = std::bit_cast<U>(value);
    const U bits = given == kSign ? U{0} : given;  // -0
    const U key = (bits & kSign) != 0 ? ~bits : bits | kSign;
    return value != value ? ~U{0} : key;
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

// The first `count` of a row in order, at the beginning of `entries`, which has room for
// kCandidates and twice as many. Elements that come before the last of those collected so far are
// collected; when there is no more room the worst are dropped.
template <class Word, class T>
void search_row(const T* x, std::int64_t size, bool descending, std::int64_t count,
                Entry<Word>* entries) {
  // Fewer of short rows, most of which would be collected otherwise.
  const std::int64_t room = 2 * count + std::clamp<std::int64_t>(size / 16, 32, kCandidates);
  std::int64_t found = 0;
  Word limit = std::numeric_limits<Word>::max();
  bool is_limited = false;
  using Keys = std::array<Word, kLookedAt>;
  const auto collect = [&](const Keys& keys, std::int64_t begin, std::int64_t looked_at) {
    for (std::int64_t i = 0; i < looked_at; ++i) {
      // An equal one that comes later stands behind.
      const Word key = keys[static_cast<std::size_t>(i)];
      if (is_limited && key >= limit) continue;
      entries[found++] = {key, static_cast<Word>(begin + i)};
      if (found < room) continue;
      std::nth_element(entries, entries + count - 1, entries + found);
      found = count;
      limit = entries[count - 1].key;
      is_limited = true;
    }
  };
  // The keys are descending ones if all their bits are turned.
  using Key = decltype(key_of(T()));
  const auto turned = static_cast<Key>(descending ? ~Key{0} : Key{0});
  run_vectorised([&]<int kBytes>() TUTTI_INLINE {
    // What is captured could change by any store; what is here can't.
    const T* const from = x;
    const Key turn = turned;
    Keys keys;
    const auto look_at = [&](std::int64_t i) TUTTI_INLINE {
      return static_cast<Word>(static_cast<Key>(key_of(from[i]) ^ turn));
    };
    std::int64_t begin = 0;
    for (; begin + kLookedAt <= size; begin += kLookedAt) {
      const Word bound = limit;
      Word hits = 0;
      for (std::int64_t i = 0; i < kLookedAt; ++i) {
        const Word key = look_at(begin + i);
        keys[static_cast<std::size_t>(i)] = key;
        hits |= key < bound ? Word{1} : Word{0};
      }
      if (hits != 0 || !is_limited) collect(keys, begin, kLookedAt);
    }
    for (std::int64_t i = begin; i < size; ++i) {
      keys[static_cast<std::size_t>(i - begin)] = look_at(i);
    }
    collect(keys, begin, size - begin);
  });
  std::partial_sort(entries, entries + count, entries + found);
}

// A row whose results are `stride` apart.
template <class Word, class T>
void sort_row(const Sort& spec, const T* x, T* values, std::int64_t* indices, std::int64_t stride) {
  constinit thread_local PerThread<Scratch> scratch;
  const bool searched = spec.count <= spec.size / ir::kSearchedPart;
  const auto memory =
      scratch.get().use<Entry<Word>>(searched ? 2 * spec.count + kCandidates : 2 * spec.size);
  auto* entries = memory.get();
  if (searched) {
    search_row(x, spec.size, spec.descending, spec.count, entries);
  } else {
    for (std::int64_t i = 0; i < spec.size; ++i) {
      const auto key = key_of(x[i]);
      using Key = std::remove_const_t<decltype(key)>;
      const Key ordered = spec.descending ? static_cast<Key>(~key) : key;
      entries[i] = {static_cast<Word>(ordered), static_cast<Word>(i)};
    }
    if (spec.size < kRadixRow) {
      std::sort(entries, entries + spec.size);
    } else {
      entries = radix_sort(entries, entries + spec.size, spec.size);
    }
  }
  for (std::int64_t i = 0; i < spec.count; ++i) {
    const auto from = static_cast<std::int64_t>(entries[i].index);
    values[i * stride] = x[from];
    indices[i * stride] = from;
  }
}

// Columns side by side: rows of a copy, whose results are copied back where there are several.
template <class Word, class T>
void sort_columns(const Sort& spec, const T* x, T* values, std::int64_t* indices,
                  std::int64_t columns) {
  constinit thread_local PerThread<Scratch> of_columns;
  constinit thread_local PerThread<Scratch> of_values;
  constinit thread_local PerThread<Scratch> of_indices;
  // Columns that began a power of two apart would share a set of the cache.
  const std::int64_t pitch = spec.size + kColumns;
  const auto own = of_columns.get().use<T>(columns * pitch);
  for (std::int64_t i = 0; i < spec.size; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) own.get()[j * pitch + i] = x[i * spec.inner + j];
  }
  if (columns == 1) {
    sort_row<Word>(spec, own.get(), values, indices, spec.inner);
    return;
  }
  const auto own_values = of_values.get().use<T>(columns * spec.count);
  const auto own_indices = of_indices.get().use<std::int64_t>(columns * spec.count);
  for (std::int64_t j = 0; j < columns; ++j) {
    sort_row<Word>(spec, own.get() + j * pitch, own_values.get() + j * spec.count,
                   own_indices.get() + j * spec.count, 1);
  }
  for (std::int64_t i = 0; i < spec.count; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      values[i * spec.inner + j] = own_values.get()[j * spec.count + i];
      indices[i * spec.inner + j] = own_indices.get()[j * spec.count + i];
    }
  }
}

template <class Word, class T>
void sort_tile(const Sort& spec, const T* x, T* values, std::int64_t* indices,
               const RowTiling::Tile& tile) {
  const std::int64_t together = std::clamp<std::int64_t>(kCopied / spec.size, 1, kColumns);
  for (std::int64_t outer = tile.row_begin; outer < tile.row_end; ++outer) {
    const T* const from = x + outer * spec.size * spec.inner;
    const std::int64_t kept = outer * spec.count * spec.inner;
    if (spec.inner == 1) {
      sort_row<Word>(spec, from, values + kept, indices + kept, 1);
      continue;
    }
    for (std::int64_t i = tile.column_begin; i < tile.column_end; i += together) {
      sort_columns<Word>(spec, from + i, values + kept + i, indices + kept + i,
                         std::min(together, tile.column_end - i));
    }
  }
}

}  // namespace

std::int64_t tiles(const Sort& spec) { return spec.count == 0 ? 0 : sort_tiling(spec).tiles(); }

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
