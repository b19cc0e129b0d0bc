#pragma once

#include <tutti/ir/symbolic_sizes.h>

#include <cstdint>
#include <span>
#include <vector>

namespace tutti::ir {

// What a program is at certain sizes.
struct Sample {
  std::vector<std::int64_t> values;
  Graph graph;
};
// The program for all sizes from what it is at corners(symbols), which are the first samples, in
// that order; the others are there to check. Scalar constants that are a size, or one over a size,
// become `size` nodes. Throws NodeTypeError if the samples differ in more than numbers, or these
// are no expressions of the symbols.
Graph merge_samples(std::span<const SizeSymbol> symbols, std::span<const Sample> samples);

}  // namespace tutti::ir
