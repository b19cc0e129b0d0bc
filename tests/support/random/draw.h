#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <random>

namespace tutti::test {

// What a seed decides, one choice after another; the same on every machine.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}

  // In [0, end).
  std::int64_t below(std::int64_t end) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(end));
  }
  // In [0, 1).
  double fraction() { return static_cast<double>(random_() >> 11) * 0x1p-53; }
  bool one_in(std::int64_t n) { return below(n) == 0; }
  bool coin() { return one_in(2); }

  template <class Range>
  auto one_of(const Range& range) {
    return *std::next(std::begin(range), static_cast<std::ptrdiff_t>(below(std::ssize(range))));
  }
  template <class Range>
  void shuffle(Range& range) {
    for (std::int64_t i = std::ssize(range); i > 1; --i) {
      std::swap(range[static_cast<std::size_t>(i - 1)], range[static_cast<std::size_t>(below(i))]);
    }
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace tutti::test
