#pragma once

#include <tutti/ir/stablehlo/layout.h>
#include <tutti/ir/stablehlo/rules.h>

namespace tutti::ir::stablehlo {

// How indices of gather and scatter name places of an operand. The operand is seen as rows: its
// last dimensions that every window has whole are a row, and the rest, row-major, number the rows.
struct IndexMap {
  List window;              // the window's size in each dimension of the operand
  List index_of;            // operand dimensions that the index vector's components are for
  List component = {};      // which one is for each of them; where empty, they stand in that order
  List of_whole = {};       // those for dimensions of which windows have all: only 0 is inside
  List operand_batch;       // operand dimensions whose index is that of ...
  List indices_batch;       // ... these dimensions of the indices
  std::int64_t vector = 0;  // the dimension of the indices that holds the index vectors
};

// Throws ParseError where the numbers do not fit the operand and the indices.
void check_places(Step& step, const Shape& operand, const Shape& indices, const IndexMap& map);

// The same places without indices for dimensions of which windows have all.
IndexMap without_whole(const Shape& operand, IndexMap map);

// The component of the index vectors for the i-th of `index_of`, [batch...].
Term component_of(Term indices, const IndexMap& map, std::size_t i);

// The dimension at which rows begin.
int first_of_row(const Shape& operand, const IndexMap& map);

struct RowNumbers {
  // [batch..., window up to the rows...], in the operand's order of dimensions, without those of
  // size 1.
  Term rows;
  Term inside;  // the same, bool: whether the window lies inside the operand; invalid if not asked
  List batch;   // sizes of the batch dimensions
};

// The number of the row for each index and each place in its window, of places that are checked.
// Windows that stick out are moved inside, or told, if `tell_outside`.
RowNumbers row_numbers(Step& step, const Shape& operand, Term indices, const IndexMap& map,
                       bool tell_outside);

// Where windows begin, a row of numbers for each index vector, and whether they lie inside:
// i64[vectors, rank of the operand] and bool[vectors].
struct WindowStarts {
  Term starts;
  Term inside;
};
WindowStarts window_starts(Step& step, const Shape& operand, Term indices, const IndexMap& map);

// The operand as [rows, row...].
Term as_rows(Term operand, int first);

}  // namespace tutti::ir::stablehlo
