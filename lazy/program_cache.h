#pragma once

#include <tutti/codegen/driver/executable.h>
#include <tutti/ir/graph.h>
#include <tutti/ir/support/hash.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace tutti::detail {

// The programs that a rank's lazy trace became, by their structural hash. Of a program that records
// ever new shapes it keeps those that ran last: a forgotten one is compiled again when it comes
// back, mostly from kernels that are known (KernelCompiler, DiskCache).
class ProgramCache {
 public:
  struct Program {
    std::unique_ptr<codegen::Executable> executable;
    ir::Graph program;  // kept in debug builds, where a hit of the hash is compared
  };

  // A program with its plan takes some 35 kB.
  static constexpr std::size_t kDefaultCapacity = 2048;

  explicit ProgramCache(std::size_t capacity = kDefaultCapacity) : capacity_(capacity) {}

  // The program of that hash, which now is the one used last; an empty one if there is none yet.
  // Stays where it is until the next call. If there are too many, the quarter that was not used for
  // longest goes.
  Program& operator[](const Hash128& hash);

  std::size_t size() const { return programs_.size(); }

  // Forgets those for which f(program) holds.
  template <class F>
  void erase_if(F&& f) {
    std::erase_if(programs_, [&](const auto& known) { return f(known.second.program); });
  }

 private:
  struct Entry {
    Program program;
    std::uint64_t used = 0;  // in which call
  };

  void forget_oldest();

  const std::size_t capacity_;
  std::uint64_t calls_ = 0;
  std::unordered_map<Hash128, Entry, Hash128Hasher> programs_;
};

}  // namespace tutti::detail
