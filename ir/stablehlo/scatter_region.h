#pragma once

#include <tutti/ir/stablehlo/translate.h>

// What the region of a scatter makes of what is there and an update.
namespace tutti::ir::stablehlo {

// Whether the region gives the updates, whatever was there.
bool replaces(const Step& step);

bool uses_update(const Step& step);

// Whether the region takes an update from what is there.
bool subtracts_update(const Step& step);

// Whether it does not matter what is combined first: each operand and its update are combined by
// an operation of which that is known, maybe in another dtype, or the one that comes first in an
// order is chosen.
bool any_order_will_do(const Step& step);

}  // namespace tutti::ir::stablehlo
