#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tutti::detail {

// How many programs of a function, or of a rank's trace, are kept: the tunable "programs".
std::size_t kept_programs();

// Programs by what tells them apart. Those that ran last are kept: a forgotten one is compiled
// again when it comes back, mostly from kernels that are known (KernelCompiler, DiskCache).
template <class Key, class Program, class Hasher>
class RecentPrograms {
 public:
  explicit RecentPrograms(std::size_t capacity) : capacity_(std::max<std::size_t>(capacity, 1)) {}

  // The program of that key, which now is the one used last; null if there is none.
  Program* find(const Key& key) {
    const auto known = programs_.find(key);
    if (known == programs_.end()) return nullptr;
    known->second.used = ++uses_;
    return &known->second.program;
  }

  // A program of a key that has none. If there are too many, the quarter that was not used for
  // longest goes; the others stay where they are.
  Program& add(const Key& key, Program program) {
    if (programs_.size() >= capacity_) forget_oldest();
    return programs_.emplace(key, Entry{std::move(program), ++uses_}).first->second.program;
  }

  std::size_t size() const { return programs_.size(); }
  void clear() { programs_.clear(); }

  // Forgets those for which f(program) holds.
  template <class F>
  void erase_if(F&& f) {
    std::erase_if(programs_, [&](const auto& known) { return f(known.second.program); });
  }

 private:
  struct Entry {
    Program program;
    std::uint64_t used = 0;  // in which use of all
  };

  void forget_oldest() {
    std::vector<std::uint64_t> uses;
    uses.reserve(programs_.size());
    for (const auto& [key, entry] : programs_) uses.push_back(entry.used);
    const auto last_to_go = uses.begin() + static_cast<std::ptrdiff_t>(uses.size() / 4);
    std::ranges::nth_element(uses, last_to_go);
    std::erase_if(programs_, [&](const auto& known) { return known.second.used <= *last_to_go; });
  }

  const std::size_t capacity_;
  std::uint64_t uses_ = 0;
  std::unordered_map<Key, Entry, Hasher> programs_;
};

}  // namespace tutti::detail
