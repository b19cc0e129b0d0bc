#pragma once

#include <tutti/codegen/driver/compile.h>
#include <tutti/ir/graph.h>
#include <tutti/runtime/profile/work_counts.h>
#include <tutti/runtime/run/context.h>

#include <cstdint>
#include <string>
#include <vector>

namespace tutti::tools {

// What a rank has when it has run a function.
struct RankResult {
  std::vector<ir::Array> arrays;    // in host memory
  std::vector<std::int64_t> times;  // of the timed runs, in nanoseconds
  runtime::WorkCounts work = {};    // of one run
  std::string memory = {};          // for people: what it used on each of its devices
};

// Compiles a function for the rank of a context and runs it there, on the devices that its text
// names: once, or else twice to warm up and then `timed_runs` times.
RankResult run_rank(const ir::Graph& function, const std::vector<ir::Array>& inputs,
                    const codegen::CompileOptions& options, runtime::Context& context,
                    int timed_runs);

}  // namespace tutti::tools
