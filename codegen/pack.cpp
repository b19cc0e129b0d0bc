#include <tutti/codegen/pack.h>
#include <tutti/ir/support/error.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

namespace tutti::codegen {

namespace {

std::int64_t rounded(std::int64_t bytes, std::int64_t alignment) {
  const std::int64_t behind = bytes % alignment;
  if (behind == 0) return std::max(bytes, alignment);
  return add_bytes(bytes, alignment - behind);
}

// Calls take(i, bytes) for each piece in the order in which they begin, and before it
// give_back(offset, bytes) for those that have ended; take gives the offset.
template <class Take, class GiveBack>
Packing pack(std::span<const Life> lives, std::int64_t alignment, Take&& take,
             GiveBack&& give_back) {
  Packing out{.offsets = std::vector<std::int64_t>(lives.size())};
  std::vector<std::size_t> order(lives.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return lives[i].begin; });
  std::multimap<int, std::pair<std::int64_t, std::int64_t>> ending;  // offset and size, by end
  for (const std::size_t i : order) {
    while (!ending.empty() && ending.begin()->first < lives[i].begin) {
      give_back(ending.begin()->second.first, ending.begin()->second.second);
      ending.erase(ending.begin());
    }
    const std::int64_t size = rounded(lives[i].bytes, alignment);
    out.offsets[i] = take(size, out.bytes);
    out.bytes = std::max(out.bytes, add_bytes(out.offsets[i], size));
    ending.emplace(lives[i].end, std::pair(out.offsets[i], size));
  }
  return out;
}

// Free ranges by offset; neighbours are joined.
class Holes {
 public:
  // `all`: where the memory that was handed out ends, which may grow.
  std::int64_t take(std::int64_t size, std::int64_t all) {
    auto hole = holes_.begin();
    while (hole != holes_.end() && hole->second < size) ++hole;
    if (hole != holes_.end()) {
      const auto [offset, bytes] = *hole;
      holes_.erase(hole);
      if (bytes > size) holes_.emplace(offset + size, bytes - size);
      return offset;
    }
    // From the last hole, if that is the end.
    if (!holes_.empty()) {
      const auto last = std::prev(holes_.end());
      if (last->first + last->second == all) {
        const std::int64_t offset = last->first;
        holes_.erase(last);
        return offset;
      }
    }
    return all;
  }

  void give_back(std::int64_t offset, std::int64_t size) {
    auto next = holes_.lower_bound(offset);
    if (next != holes_.end() && next->first == offset + size) {
      size += next->second;
      next = holes_.erase(next);
    }
    if (next != holes_.begin()) {
      const auto previous = std::prev(next);
      if (previous->first + previous->second == offset) {
        previous->second += size;
        return;
      }
    }
    holes_.emplace(offset, size);
  }

 private:
  std::map<std::int64_t, std::int64_t> holes_;  // sizes by offset
};

}  // namespace

std::int64_t add_bytes(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 2;
  if (a <= kMost && b <= kMost - a) return a + b;
  throw OutOfMemoryError("out of memory: what is in use at once has 2^62 bytes or more");
}

Packing pack_first_fit(std::span<const Life> lives, std::int64_t alignment) {
  Holes holes;
  return pack(
      lives, alignment, [&](std::int64_t size, std::int64_t all) { return holes.take(size, all); },
      [&](std::int64_t offset, std::int64_t size) { holes.give_back(offset, size); });
}

Packing pack_by_size(std::span<const Life> lives, std::int64_t alignment) {
  std::map<std::int64_t, std::vector<std::int64_t>> free;  // offsets by size
  return pack(
      lives, alignment,
      [&](std::int64_t size, std::int64_t all) {
        std::vector<std::int64_t>& offsets = free[size];
        if (offsets.empty()) return all;
        const std::int64_t offset = offsets.back();
        offsets.pop_back();
        return offset;
      },
      [&](std::int64_t offset, std::int64_t size) { free[size].push_back(offset); });
}

}  // namespace tutti::codegen
