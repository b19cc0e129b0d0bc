#pragma once

#include <tutti/ir/graph.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace tutti::ir {

// How a difference of texts is shown.
struct DifferenceStyle {
  std::string before = "before";  // what the texts are called
  std::string after = "after";
  std::size_t context = 3;  // lines around what differs
  bool colours = false;     // for a terminal
};

// The lines that differ, as `diff -u` shows them; empty if none does. Equal lines pair up in their
// order. Takes n log n time in the lines, and shows the fewest if the lines of each text differ
// from each other.
std::string text_difference(std::string_view before, std::string_view after,
                            const DifferenceStyle& style = {});

// What changed in a function's text. Values that both have go by their names before, so a node that
// went shows as one line and not as new numbers everywhere. The same holds inside the functions
// that nodes run.
std::string text_difference(const Graph& before, const Graph& after,
                            const DifferenceStyle& style = {});

}  // namespace tutti::ir
