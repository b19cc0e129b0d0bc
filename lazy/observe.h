#pragma once

#include <tutti/lazy/operand.h>
#include <tutti/lazy/tensor.h>

#include <string>
#include <string_view>

// Looking at values inside compiled functions, gradients, loops and branches, where a tensor can't
// be read while the program is recorded. Each passes its operand on and does its work whenever the
// result is computed: where nothing uses that, nothing is printed or checked. Derivatives pass
// through, of any order. Values of GPUs are brought to the host for it.
namespace tutti {

// Prints x, as `<<` would, on a line of stdout. "{}" in the text stands for the value; without it
// the value follows behind a colon. Ranks that are threads print their number before it (what
// processes print, `tutti launch` tells apart). Prints that depend on each other come in their
// order, and in a loop one for each step; what a checkpoint computes again prints again.
//
//   h = debug_print("layer 3: {}", h);
[[nodiscard]] Tensor debug_print(std::string_view text, const Operand& x);

// Throws NumericError when x is computed and an element is infinite or NaN: it says how many, which
// is the first, this line, and the name. What has no such elements (integers, bool) is right.
//
//   loss = check_finite(loss, "loss");
[[nodiscard]] Tensor check_finite(const Operand& x, std::string_view name);

}  // namespace tutti
