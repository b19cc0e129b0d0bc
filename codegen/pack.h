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

// The sum of two numbers of bytes, or of an offset and bytes. Throws OutOfMemoryError where that is
// 2^62 or more, which no plan has.
std::int64_t add_bytes(std::int64_t a, std::int64_t b);

// Gives pieces offsets, multiples of `alignment`, such that no two overlap that are in use in one
// step. What comes out depends on the order of the steps and on nothing else. Throws
// OutOfMemoryError where they need 2^62 bytes or more.

// Each piece, in the order in which they begin, where the first hole is that has room for it.
Packing pack_first_fit(std::span<const Life> lives, std::int64_t alignment);
// Each piece where an earlier one of the very same size was.
Packing pack_by_size(std::span<const Life> lives, std::int64_t alignment);

}  // namespace tutti::codegen
