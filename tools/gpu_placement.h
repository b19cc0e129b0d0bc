#pragma once

#include <tutti/ir/graph.h>

#include <cstdint>

// `--on device`: programs on GPUs that do not name any.
namespace tutti::tools {

// How many GPUs there are. Throws EnvironmentError if there is none, with what is missing and with
// what works without one.
int count_gpus();

// The function with all its values on that GPU. A program that names devices is left as it is, and
// numbers that callers pass stay with them.
ir::Graph placed_on(const ir::Graph& function, Device gpu);

// What a rank runs: the function itself, or on one of so many GPUs, which the ranks share evenly.
ir::Graph for_rank(const ir::Graph& function, std::int64_t rank, int gpus);

}  // namespace tutti::tools
