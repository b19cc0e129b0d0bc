#pragma once

#include <tutti/ir/dtype.h>

#include <cstdint>

namespace tutti::kernels {

// Counter-based random numbers: element i is a function of (key, i) alone, with the bits of
// ir/philox.h.
//
// As for every kernel here, tiles() is the number of independent pieces, a function of the spec
// alone, and run() computes the pieces [begin, end) on the calling thread; threads may run disjoint
// ranges at once.

enum class RandomKind : std::uint8_t {
  bits,     // u32, all bits random
  uniform,  // a floating-point dtype, in [0, 1)
  normal,   // a floating-point dtype, mean 0 and variance 1
};

struct Random {
  RandomKind kind = RandomKind::bits;
  DType dtype = DType::u32;
  std::int64_t elements = 0;
};
std::int64_t tiles(const Random& spec);
void run(const Random& spec, std::uint64_t key, void* result, std::int64_t begin, std::int64_t end);

// result[i] = the new key of `key` and numbers[i]. `result` may be `numbers`.
struct FoldIn {
  std::int64_t elements = 1;
};
std::int64_t tiles(const FoldIn& spec);
void run(const FoldIn& spec, std::uint64_t key, const std::uint64_t* numbers, std::uint64_t* result,
         std::int64_t begin, std::int64_t end);

}  // namespace tutti::kernels
