#pragma once

#include <tutti/kernels/host/sort.h>

#include <cstdint>

namespace tutti::kernels {

// How the rows of a sort are divided so that threads share them: a function of the spec alone. Few
// elements are found among those that the parts found. Otherwise it is a sample sort (Frazer and
// McKellar, "Samplesort", J. ACM 17, 1970): splitters, which are taken from samples of a row,
// divide each of its parts into as many buckets; those of one number are sorted together, and stand
// in the result where their number says.
struct SortDivision {
  std::int64_t parts = 1;    // of a row, and its buckets; 1: rows are sorted whole
  std::int64_t length = 0;   // of a part; the last one's may be less
  bool is_searched = false;  // the only row there is
};

SortDivision sort_division(const Sort& spec);

// The tiles of a sort whose rows are divided, behind its SortParts.
std::int64_t divided_tiles(const Sort& spec, const SortDivision& division);
void run_divided(const Sort& spec, const SortDivision& division, const void* x, const void* parts,
                 void* values, std::int64_t* indices, std::int64_t begin, std::int64_t end);

}  // namespace tutti::kernels
