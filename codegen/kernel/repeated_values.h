#pragma once

#include <tutti/codegen/kernel/kernel.h>

#include <vector>

namespace tutti::codegen {

// Loops that follow each other compute some values again: a softmax adds exponentials up in one
// loop and divides them in the next.
//
// By value: the first value of an earlier loop that it equals at each point of the inner axes; -1
// for one that equals none.
std::vector<ValueId> find_repeated_values(const Kernel& kernel);

// By value of a loop: whether to compute it takes longer than to write it to memory in the cache
// and to read it from there, as far as it is computed in that loop.
std::vector<bool> find_costly_values(const Kernel& kernel);

}  // namespace tutti::codegen
