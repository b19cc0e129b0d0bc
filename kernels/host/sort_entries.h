#pragma once

#include <tutti/ir/dtype.h>
#include <tutti/ir/support/error.h>
#include <tutti/kernels/host/instruction_set.h>
#include <tutti/kernels/host/sort.h>

#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

namespace tutti::kernels {

// What rows are sorted by: keys that are ordered as the elements are, each with its element's
// place.

// Beside twice as many as are kept, candidates that are collected before the worst are dropped, at
// most.
inline constexpr std::int64_t kCandidates = 256;

// An unsigned integer that is ordered as the elements are. Without branches: loops over elements
// become vector code.
template <class T>
TUTTI_INLINE inline auto sort_key(T value) {
  if constexpr (std::is_unsigned_v<T>) {
    return value;
  } else if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<U>(static_cast<U>(value) ^ (U{1} << (sizeof(U) * 8 - 1)));
  } else if constexpr (is_narrow_float<T>) {
    return sort_key(float(value));
  } else {
    using U = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    constexpr U kSign = U{1} << (sizeof(U) * 8 - 1);
    const U given = std::bit_cast<U>(value);
    const U bits = given == kSign ? U{0} : given;  // -0
    const U key = (bits & kSign) != 0 ? ~bits : bits | kSign;
    return value != value ? ~U{0} : key;
  }
}

// The keys are descending ones if all their bits are turned.
template <class T>
auto turned_bits(bool descending) {
  using Key = decltype(sort_key(T()));
  return static_cast<Key>(descending ? ~Key{0} : Key{0});
}

// A key and where its element stood. No two are equal, so that every way to sort them is stable.
template <class Word>
struct SortEntry {
  Word key;
  Word index;

  friend auto operator<=>(const SortEntry&, const SortEntry&) = default;
};

// Calls f(word, element) with the types of keys and elements, as std::type_identity.
template <class F>
void visit_entries(const Sort& spec, F&& f) {
  visit_dtype(spec.dtype, [&]<class T>(std::type_identity<T> element) {
    if constexpr (std::is_same_v<T, bool>) {
      throw InternalError("sort of bool");
    } else if (sizeof(T) == 8 || spec.size > std::numeric_limits<std::uint32_t>::max()) {
      f(std::type_identity<std::uint64_t>(), element);
    } else {
      f(std::type_identity<std::uint32_t>(), element);
    }
  });
}

// Sorts by the keys' digits, from the lowest on; the entries are in the order of their indices.
// `spare` has room for as many. Returns where they lie in the end, which is one of the two.
template <class Word>
SortEntry<Word>* radix_sort(SortEntry<Word>* entries, SortEntry<Word>* spare, std::int64_t count) {
  constexpr int kDigitBits = 8;
  constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
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

// The same, by comparisons where there are few.
template <class Word>
SortEntry<Word>* sort_entries(SortEntry<Word>* entries, SortEntry<Word>* spare,
                              std::int64_t count) {
  constexpr std::int64_t kFewEntries = 256;
  if (count >= kFewEntries) return radix_sort(entries, spare, count);
  std::sort(entries, entries + count);
  return entries;
}

// Elements of a row that are looked at together while it is searched.
inline constexpr std::int64_t kLookedAt = 64;

// The entries that search_row has room for, so that it finds the first `count`.
constexpr std::int64_t searched_entries(std::int64_t count) {
  return 2 * count + kCandidates + kLookedAt;
}

// Brings the first `count` of those found to the beginning, the last of them behind the others.
template <class Word>
void select_entries(SortEntry<Word>* entries, std::int64_t count, std::int64_t found) {
  constexpr std::int64_t kHeap = 8;
  if (count > kHeap) return std::nth_element(entries, entries + count - 1, entries + found);
  std::partial_sort(entries, entries + count, entries + found);
}

// The first `count` of a row in order, at the beginning of `entries`, which has room for
// searched_entries. Elements that come before the last of those collected so far are collected;
// when there are many the worst are dropped.
template <class Word, class T>
void search_row(const T* x, std::int64_t size, bool descending, std::int64_t count,
                SortEntry<Word>* entries) {
  // Fewer of short rows, most of which would be collected otherwise.
  const std::int64_t most = 2 * count + std::clamp<std::int64_t>(size / 16, 32, kCandidates);
  std::int64_t found = 0;
  Word limit = std::numeric_limits<Word>::max();
  bool is_limited = false;
  using Keys = std::array<Word, kLookedAt>;
  const auto collect = [&](const Keys& keys, std::int64_t begin, std::int64_t looked_at) {
    const Word bound = limit;
    const auto all = static_cast<std::int64_t>(!is_limited);
    std::int64_t next = found;
    // Each is written, and stays if it is counted: nobody could foresee a branch.
    for (std::int64_t i = 0; i < looked_at; ++i) {
      // An equal one that comes later stands behind.
      const Word key = keys[static_cast<std::size_t>(i)];
      entries[next] = {key, static_cast<Word>(begin + i)};
      next += all | static_cast<std::int64_t>(key < bound);
    }
    found = next;
    if (found < most) return;
    select_entries(entries, count, found);
    found = count;
    limit = entries[count - 1].key;
    is_limited = true;
  };
  const auto turned = turned_bits<T>(descending);
  using Key = std::remove_const_t<decltype(turned)>;
  run_vectorised([&]<int kBytes>() TUTTI_INLINE {
    // What is captured could change by any store; what is here can't.
    const T* const from = x;
    const Key turn = turned;
    Keys keys;
    const auto look_at = [&](std::int64_t i) TUTTI_INLINE {
      return static_cast<Word>(static_cast<Key>(sort_key(from[i]) ^ turn));
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
  select_entries(entries, count, found);
  std::sort(entries, entries + count);
}

}  // namespace tutti::kernels
