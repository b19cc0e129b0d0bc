#pragma once

#include <tutti/ir/stablehlo/place_numbers.h>

#include <vector>

// Scatters of few windows: each changes a part of the operand, one after another.
namespace tutti::ir::stablehlo {

// Whether that is less to do than to go over the operand as a whole: of one window, whatever the
// region does with it; of several where it puts them in place of what was there.
bool are_parts(const Step& step, const Type& x, const Shape& indices, const IndexMap& map);

// The scatter's results: of each window only if all of it lies inside. `window_dims` are the
// dimensions of the updates that a window has, in the operand's order.
void change_parts(Step& step, const std::vector<Term>& x, Term indices, const IndexMap& map,
                  const std::vector<Term>& updates, const List& window_dims);

}  // namespace tutti::ir::stablehlo
