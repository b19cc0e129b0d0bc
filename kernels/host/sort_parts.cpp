#include <tutti/ir/arithmetic.h>
#include <tutti/ir/support/error.h>
#include <tutti/kernels/host/per_thread.h>
#include <tutti/kernels/host/scratch.h>
#include <tutti/kernels/host/sort_entries.h>
#include <tutti/kernels/host/sort_parts.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>

namespace tutti::kernels {

namespace {

// Parts of all rows together, about. A power of two, as the number of a row's parts is.
constexpr std::int64_t kMostParts = 32;
// Of a row that is searched: each part has to find out anew which elements are among the first, and
// a few threads read as fast as there is memory to read. Chosen on two cores; nobody measured more.
constexpr std::int64_t kMostSearched = 4;
// Elements of a part that is divided by splitters, and of one that is searched, at least: less is
// read before a thread is there to do it.
constexpr std::int64_t kLeastDivided = 16 * 1024;
constexpr std::int64_t kLeastSearched = 256 * 1024;
// How many times as many elements a part that is searched has as are looked for, at least: what all
// parts found is little then.
constexpr std::int64_t kElementsPerFound = 128;
// How many elements there are for each that is looked for, at most, where buckets are sorted
// instead: of a row, and of one of several, which threads share as they are.
constexpr std::int64_t kElementsPerSorted = 64;
constexpr std::int64_t kElementsPerSortedOfSeveral = 16;
// Samples of a row per bucket: the largest bucket is about twice the average.
constexpr std::int64_t kSamples = 8;
// No memory has longer rows, nor numbers their bytes.
constexpr std::int64_t kLongestRow = std::int64_t{1} << 48;

// A row as keys.
template <class Word, class T>
struct KeyedRow {
  const T* x;
  std::int64_t step;  // from element to element
  decltype(turned_bits<T>(false)) turned;

  SortEntry<Word> entry(std::int64_t i) const {
    using Key = decltype(turned);
    return {static_cast<Word>(static_cast<Key>(sort_key(x[i * step]) ^ turned)),
            static_cast<Word>(i)};
  }
};

template <class Word, class T>
KeyedRow<Word, T> keyed_row(const Sort& spec, const T* x, std::int64_t row) {
  return {x + row / spec.inner * spec.size * spec.inner + row % spec.inner, spec.inner,
          turned_bits<T>(spec.descending)};
}

// What the first call leaves to the second, for all rows. Of rows that are searched each part's
// first elements, in order. Of others each part's elements, bucket by bucket, and behind the
// entries of all rows where each part's buckets begin in it, and its last one ends.
template <class Word, class Pointer>
class PartsMemory {
 public:
  PartsMemory(const Sort& spec, const SortDivision& division, Pointer memory)
      : spec_(spec), division_(division), memory_(memory) {}

  std::int64_t bytes() const {
    const std::int64_t entries = rows() * row_entries() * std::int64_t{sizeof(SortEntry<Word>)};
    if (division_.is_searched) return entries;
    return entries +
           rows() * division_.parts * (division_.parts + 1) * std::int64_t{sizeof(std::int64_t)};
  }
  auto* entries(std::int64_t row, std::int64_t part) const {
    const std::int64_t each = division_.is_searched ? spec_.count : division_.length;
    return at<SortEntry<Word>>(memory_) + row * row_entries() + part * each;
  }
  auto* starts(std::int64_t row, std::int64_t part) const {
    return at<std::int64_t>(at<SortEntry<Word>>(memory_) + rows() * row_entries()) +
           (row * division_.parts + part) * (division_.parts + 1);
  }

 private:
  template <class E>
  static auto* at(auto* from) {
    if constexpr (std::is_const_v<std::remove_pointer_t<Pointer>>) {
      return reinterpret_cast<const E*>(from);
    } else {
      return reinterpret_cast<E*>(from);
    }
  }
  std::int64_t rows() const { return spec_.outer * spec_.inner; }
  std::int64_t row_entries() const {
    return division_.is_searched ? division_.parts * spec_.count : spec_.size;
  }

  const Sort& spec_;
  const SortDivision& division_;
  Pointer memory_;
};

// An entry as what is compared without branches, which nobody could foresee.
template <class Word>
auto rank_of(const SortEntry<Word>& entry) {
  if constexpr (sizeof(Word) == 4) {
    return std::uint64_t{entry.key} << 32 | entry.index;
  } else {
    return entry;
  }
}
bool comes_before(std::uint64_t a, std::uint64_t b) { return a < b; }
bool comes_before(const SortEntry<std::uint64_t>& a, const SortEntry<std::uint64_t>& b) {
  return (static_cast<int>(a.key < b.key) |
          (static_cast<int>(a.key == b.key) & static_cast<int>(a.index < b.index))) != 0;
}

// What divides a row into buckets that are about equally large. Entries are all different, so equal
// elements are divided, too. A function of the row: each of its parts finds the same.
template <class Word>
class Splitters {
 public:
  template <class T>
  Splitters(const KeyedRow<Word, T>& row, std::int64_t size, std::int64_t buckets)
      : buckets_(static_cast<std::size_t>(buckets)) {
    std::array<SortEntry<Word>, kMostParts * kSamples> samples;
    const std::int64_t count = buckets * kSamples;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t begin = i * size / count;
      const std::int64_t width = (i + 1) * size / count - begin;
      // Anywhere in its share, so that what repeats in the row does not repeat in the samples.
      const std::uint64_t mixed = static_cast<std::uint64_t>(i + 1) * 0x9E3779B97F4A7C15ULL;
      const std::uint64_t place = (mixed >> 32) % static_cast<std::uint64_t>(width);
      samples[static_cast<std::size_t>(i)] = row.entry(begin + static_cast<std::int64_t>(place));
    }
    std::sort(samples.begin(), samples.begin() + count);
    for (std::size_t i = 1; i < buckets_; ++i) first_[i - 1] = rank_of(samples[i * kSamples]);
  }

  std::size_t bucket_of(const SortEntry<Word>& entry) const {
    const auto rank = rank_of(entry);
    std::size_t bucket = 0;
    for (std::size_t step = buckets_ / 2; step > 0; step /= 2) {
      bucket += comes_before(rank, first_[bucket + step - 1]) ? 0 : step;
    }
    return bucket;
  }

 private:
  std::size_t buckets_;  // a power of two
  // Of all buckets but the first.
  std::array<decltype(rank_of(SortEntry<Word>())), kMostParts> first_;
};

// Brings the elements [begin, end) of a row to `to`, bucket by bucket, those of each in order of
// their places.
template <class Word, class T>
void divide_part(KeyedRow<Word, T> row, std::int64_t begin, std::int64_t end,
                 const Splitters<Word>& splitters, std::int64_t buckets, SortEntry<Word>* to,
                 std::int64_t* starts) {
  constinit thread_local PerThread<Scratch> of_entries;
  constinit thread_local PerThread<Scratch> of_numbers;
  const std::int64_t count = end - begin;
  const auto entry_memory = of_entries.get().use<SortEntry<Word>>(count);
  const auto number_memory = of_numbers.get().use<std::uint8_t>(count);
  SortEntry<Word>* const entries = entry_memory.get();
  std::uint8_t* const numbers = number_memory.get();
  std::array<std::int64_t, kMostParts> places{};
  for (std::int64_t i = 0; i < count; ++i) {
    const SortEntry<Word> entry = row.entry(begin + i);
    const std::size_t number = splitters.bucket_of(entry);
    entries[i] = entry;
    numbers[i] = static_cast<std::uint8_t>(number);
    ++places[number];
  }
  std::int64_t before = 0;
  for (std::int64_t b = 0; b < buckets; ++b) {
    starts[b] = before;
    before += std::exchange(places[static_cast<std::size_t>(b)], before);
  }
  starts[buckets] = before;
  for (std::int64_t i = 0; i < count; ++i) to[places[numbers[i]]++] = entries[i];
}

// The first elements of [begin, end) of a row, in order.
template <class Word, class T>
void search_part(const Sort& spec, const KeyedRow<Word, T>& row, std::int64_t begin,
                 std::int64_t end, SortEntry<Word>* to) {
  if (row.step != 1) throw InternalError("a row that is searched in parts, and is not dense");
  constinit thread_local PerThread<Scratch> of_found;
  const auto found = of_found.get().use<SortEntry<Word>>(searched_entries(spec.count));
  search_row(row.x + begin, end - begin, spec.descending, spec.count, found.get());
  for (std::int64_t i = 0; i < spec.count; ++i) {
    to[i] = {found.get()[i].key, static_cast<Word>(found.get()[i].index + begin)};
  }
}

// Where a row's results go.
template <class T>
struct SortedRow {
  T* values;
  std::int64_t* indices;
  std::int64_t step;

  // `order` begins with the entry of rank `first`.
  template <class Word>
  void write(const KeyedRow<Word, T>& row, const SortEntry<Word>* order, std::int64_t first,
             std::int64_t last) const {
    for (std::int64_t i = first; i < last; ++i) {
      const auto from = static_cast<std::int64_t>(order[i - first].index);
      values[i * step] = row.x[from * row.step];
      indices[i * step] = from;
    }
  }
};

// Those of a bucket among the first `count` of a row.
template <class Word, class T, class Memory>
void sort_bucket(const Sort& spec, const SortDivision& division, const KeyedRow<Word, T>& row,
                 const Memory& memory, std::int64_t row_number, std::int64_t bucket,
                 const SortedRow<T>& to) {
  std::int64_t first = 0;
  std::int64_t count = 0;
  for (std::int64_t part = 0; part < division.parts; ++part) {
    const std::int64_t* const starts = memory.starts(row_number, part);
    first += starts[bucket];
    count += starts[bucket + 1] - starts[bucket];
  }
  if (count == 0 || first >= spec.count) return;
  constinit thread_local PerThread<Scratch> of_bucket;
  const auto own = of_bucket.get().use<SortEntry<Word>>(2 * count);
  SortEntry<Word>* const entries = own.get();
  SortEntry<Word>* end = entries;
  for (std::int64_t part = 0; part < division.parts; ++part) {
    const std::int64_t* const starts = memory.starts(row_number, part);
    const SortEntry<Word>* const from = memory.entries(row_number, part);
    end = std::copy(from + starts[bucket], from + starts[bucket + 1], end);
  }
  // Keys of a bucket are close, so that without the least of them their upper digits are zeros.
  Word least = std::numeric_limits<Word>::max();
  for (std::int64_t i = 0; i < count; ++i) least = std::min(least, entries[i].key);
  for (std::int64_t i = 0; i < count; ++i) {
    entries[i].key = static_cast<Word>(entries[i].key - least);
  }
  to.write(row, sort_entries(entries, entries + count, count), first,
           std::min(first + count, spec.count));
}

// The first of a row among those that its parts found.
template <class Word, class T>
void search_found(const Sort& spec, const SortDivision& division, const KeyedRow<Word, T>& row,
                  const SortEntry<Word>* found, const SortedRow<T>& to) {
  constinit thread_local PerThread<Scratch> of_all;
  const std::int64_t count = division.parts * spec.count;
  const auto own = of_all.get().use<SortEntry<Word>>(count);
  SortEntry<Word>* const entries = own.get();
  std::copy(found, found + count, entries);
  select_entries(entries, spec.count, count);
  std::sort(entries, entries + spec.count);
  to.write(row, entries, 0, spec.count);
}

}  // namespace

SortDivision sort_division(const Sort& spec) {
  const std::int64_t rows = spec.outer * spec.inner;
  if (spec.count == 0 || rows == 0 || rows > kMostParts / 2 || spec.size > kLongestRow) return {};
  const auto divided = [&](std::int64_t wanted, std::int64_t least, bool is_searched) {
    const std::int64_t most = std::min(wanted, spec.size / least);
    if (most < 2) return SortDivision{};
    const auto parts = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(most)));
    return SortDivision{
        .parts = parts, .length = divide_up(spec.size, parts), .is_searched = is_searched};
  };
  const bool is_one = rows == 1;
  if (spec.count > spec.size / (is_one ? kElementsPerSorted : kElementsPerSortedOfSeveral)) {
    return divided(kMostParts / rows, kLeastDivided, false);
  }
  if (!is_one) return {};
  return divided(kMostSearched, std::max(kLeastSearched, kElementsPerFound * spec.count), true);
}

std::int64_t sort_parts_bytes(const Sort& spec) {
  const SortDivision division = sort_division(spec);
  if (division.parts == 1) return 0;
  std::int64_t bytes = 0;
  visit_entries(spec, [&]<class Word, class T>(std::type_identity<Word>, std::type_identity<T>) {
    bytes = PartsMemory<Word, const std::byte*>(spec, division, nullptr).bytes();
  });
  return bytes;
}

std::int64_t tiles(const SortParts& spec) {
  const SortDivision division = sort_division(spec.sort);
  return division.parts == 1 ? 0 : spec.sort.outer * spec.sort.inner * division.parts;
}

void run(const SortParts& spec, const void* x, void* parts, std::int64_t begin, std::int64_t end) {
  const Sort& sort = spec.sort;
  const SortDivision division = sort_division(sort);
  visit_entries(sort, [&]<class Word, class T>(std::type_identity<Word>, std::type_identity<T>) {
    const PartsMemory<Word, std::byte*> memory(sort, division, static_cast<std::byte*>(parts));
    for (std::int64_t tile = begin; tile < end; ++tile) {
      const std::int64_t number = tile / division.parts;
      const std::int64_t part = tile % division.parts;
      const auto row = keyed_row<Word>(sort, static_cast<const T*>(x), number);
      const std::int64_t first = part * division.length;
      const std::int64_t last = std::min(first + division.length, sort.size);
      SortEntry<Word>* const to = memory.entries(number, part);
      if (division.is_searched) {
        search_part(sort, row, first, last, to);
      } else {
        const Splitters<Word> splitters(row, sort.size, division.parts);
        divide_part(row, first, last, splitters, division.parts, to, memory.starts(number, part));
      }
    }
  });
}

std::int64_t divided_tiles(const Sort& spec, const SortDivision& division) {
  const std::int64_t rows = spec.outer * spec.inner;
  return division.is_searched ? rows : rows * division.parts;
}

void run_divided(const Sort& spec, const SortDivision& division, const void* x, const void* parts,
                 void* values, std::int64_t* indices, std::int64_t begin, std::int64_t end) {
  visit_entries(spec, [&]<class Word, class T>(std::type_identity<Word>, std::type_identity<T>) {
    const PartsMemory<Word, const std::byte*> memory(spec, division,
                                                     static_cast<const std::byte*>(parts));
    const std::int64_t each = division.is_searched ? 1 : division.parts;  // tiles of a row
    for (std::int64_t tile = begin; tile < end; ++tile) {
      const std::int64_t number = tile / each;
      const auto row = keyed_row<Word>(spec, static_cast<const T*>(x), number);
      const std::int64_t kept = number / spec.inner * spec.count * spec.inner + number % spec.inner;
      const SortedRow<T> to = {static_cast<T*>(values) + kept, indices + kept, spec.inner};
      if (division.is_searched) {
        search_found(spec, division, row, memory.entries(number, 0), to);
      } else {
        sort_bucket(spec, division, row, memory, number, tile % each, to);
      }
    }
  });
}

}  // namespace tutti::kernels
