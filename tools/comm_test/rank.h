#pragma once

#include <tutti/lazy/world.h>

#include "tools/comm_test/options.h"

namespace tutti::tools {

// What a rank of `tutti comm-test` does; all ranks do the same. Rank 0 prints a line for each
// collective, algorithm and size. Gives how many elements of all ranks' results were wrong.
std::int64_t run_comm_test(World& world, const CommTest& test, const CommTestOptions& options);

}  // namespace tutti::tools
