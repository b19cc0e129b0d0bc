#pragma once

#include <span>
#include <vector>

namespace tutti::tools::show {

// A drawing of boxes in rows, with arrows that lead down. Of a box only the width is known here:
// where a row lies follows from the heights of the boxes above, which a page may fold.
struct LayoutEdge {
  int from = 0;
  int to = 0;
};

struct Layout {
  std::vector<int> rows;   // of the boxes
  std::vector<int> lefts;  // their left edges
  // Of the edges: the places where they cross the rows between their ends.
  std::vector<std::vector<int>> bends;
  // Edges over more rows than kLongestEdge, and those that lead up or across; they are not drawn,
  // which keeps the picture readable and the layout linear.
  std::vector<bool> cut;
  int row_count = 0;
  int width = 0;
};

inline constexpr int kLongestEdge = 8;

// Rows by longest path, but for boxes that nothing leads to, and chains that begin with one, which
// stand right above their first user; the order within rows by barycentre; places as near to the
// neighbours' as the order allows. What is not connected stands side by side, and in further rows
// below where that gets too wide. Cycles are allowed. Takes time about linear in the numbers of
// boxes and edges.
Layout lay_out(std::span<const int> widths, std::span<const LayoutEdge> edges);

}  // namespace tutti::tools::show
