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

// Whether the functions of every rank have the same ops in their places, also in what nodes run.
bool are_alike(const Programs& programs);

// The functions of every rank in their places if they are to change together, for which programs
// have to be alike; else each alone.
std::vector<Family> families_of(const Programs& programs, bool together);

}  // namespace tutti::ir
