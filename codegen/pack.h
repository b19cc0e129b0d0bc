#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tutti::codegen {

// A piece of memory, and the steps in which it is in use: the first and the last.
struct Life {
  int begin = 0;
  int end = 0;
  std::int64_t bytes = 0;
};

struct Packing {
  std::vector<std::int64_t> offsets;  // by life
  std::int64_t bytes = 0;             // of all
};

// Where a piece ends. Throws OutOfMemoryError where that does not fit in 63 bits.
std::int64_t end_of_piece(std::int64_t offset, std::int64_t bytes);

// Gives pieces offsets, multiples of `alignment`, such that no two overlap that are in use in one
// step. What comes out depends on the order of the steps and on nothing else. Throws
// OutOfMemoryError where they need more than 63 bits can say.

// Each piece, in the order in which they begin, where the first hole is that has room for it.
Packing pack_first_fit(std::span<const Life> lives, std::int64_t alignment);
// Each piece where an earlier one of the very same size was.
Packing pack_by_size(std::span<const Life> lives, std::int64_t alignment);

}  // namespace tutti::codegen
