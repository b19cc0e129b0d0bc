#pragma once

#include <tutti/codegen/driver/compile.h>
#include <tutti/ir/graph.h>

#include <cstdint>
#include <span>
#include <vector>

#include "tools/run_rank.h"

namespace tutti::tools {

enum class RunMode : std::uint8_t { compiled, interpreter };

// A function's results on every rank, [rank][result], from its arguments, [rank][parameter].
std::vector<std::vector<ir::Array>> execute(const ir::Graph& function,
                                            std::span<const std::vector<ir::Array>> inputs,
                                            RunMode mode, const codegen::CompileOptions& options);
// The same of a function for each rank, compiled.
std::vector<std::vector<ir::Array>> execute(std::span<const ir::Graph* const> functions,
                                            std::span<const std::vector<ir::Array>> inputs,
                                            const codegen::CompileOptions& options);

// The same, compiled, with the times of so many runs after a warm-up; [rank]. With `gpus`, on so
// many (see for_rank).
std::vector<RankResult> run_timed(const ir::Graph& function,
                                  std::span<const std::vector<ir::Array>> inputs,
                                  const codegen::CompileOptions& options, int timed_runs,
                                  int gpus = 0);

// Throws TypeError if a function's groups name ranks beyond so many.
void check_ranks(const ir::Graph& function, std::int64_t ranks);

// Compiles a function for each of so many ranks, one after another, and runs nothing.
void compile_only(const ir::Graph& function, std::int64_t ranks,
                  const codegen::CompileOptions& options, int gpus = 0);

}  // namespace tutti::tools
