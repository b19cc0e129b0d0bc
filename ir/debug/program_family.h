#pragma once

#include <tutti/ir/debug/program_size.h>

#include <cstddef>
#include <vector>

namespace tutti::ir {

// A function of one of the programs.
struct Place {
  std::size_t program;
  std::size_t function;
};
// Functions that change together.
using Family = std::vector<Place>;

// The functions of every rank in their places if they have the same ops, also in what nodes run;
// else each alone.
std::vector<Family> families_of(const Programs& programs);

}  // namespace tutti::ir
