#pragma once

#include <tutti/ir/text/print.h>

#include <compare>
#include <cstddef>
#include <vector>

namespace tutti::ir {

// What is reduced: a file, or the files of all ranks.
using Programs = std::vector<Module>;

// How large programs are, most important first.
struct ProgramSize {
  std::size_t functions = 0;
  std::size_t inner = 0;      // functions that nodes run; what follows counts them, each once
  std::size_t nodes = 0;      // that compute: neither parameters nor constants
  std::size_t constants = 0;  // also repeated ones
  std::size_t signature = 0;  // parameters and results
  std::size_t ranks = 0;      // programs, and what mesh and groups name
  double elements = 0;        // of all values, and steps of loops

  friend auto operator<=>(const ProgramSize&, const ProgramSize&) = default;
};
ProgramSize size_of(const Programs& programs);

// The nodes of a function and of those that its nodes run, each once; parameters, too.
std::size_t count_nodes(const Graph& graph);

// Whether a node says nothing but a constant, also a repeated one.
bool is_constant(const Graph& graph, NodeId id);

}  // namespace tutti::ir
