#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tools/run.h"

namespace tutti::tools {

// Runs a function with a process for each rank, which communicate through shared memory: this
// program again, started as `tutti launch` does. Nothing if a rank failed, which has been said.
std::optional<std::vector<RankResult>> run_in_processes(const ir::Graph& function,
                                                        std::int64_t ranks,
                                                        const RunOptions& options);

// What such a process does.
void run_as_rank(const ir::Graph& function, const RunOptions& options,
                 const codegen::CompileOptions& compiling);

}  // namespace tutti::tools
