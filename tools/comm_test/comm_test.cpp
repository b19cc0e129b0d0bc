#include "tools/comm_test/comm_test.h"

#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/launch_environment.h>
#include <tutti/runtime/run/gpus.h>

#include <filesystem>
#include <iostream>
#include <sstream>

#include "tools/comm_test/rank.h"
#include "tools/launch/launch.h"
#include "tools/launch/segment_observer.h"
#include "tools/launch/trace_of_ranks.h"

namespace tutti::tools {

namespace {

// The command of a rank: this program, with the options that say what is tested.
std::vector<std::string> rank_command(const CommTestOptions& options) {
  std::vector<std::string> out = {std::filesystem::read_symlink("/proc/self/exe"), "comm-test",
                                  "--as-rank"};
  const auto add = [&](const char* option, const std::string& value) {
    out.push_back(std::string(option) + "=" + value);
  };
  const auto add_all = [&](const char* option, const std::vector<std::string>& values) {
    for (const std::string& value : values) add(option, value);
  };
  if (options.on_gpus) add("--device", "cuda");
  if (!options.backends.empty()) add("--backends", options.backends);
  add_all("--collectives", options.collectives);
  add_all("--algorithms", options.algorithms);
  add_all("--sizes", options.sizes);
  add("--dtype", options.dtype);
  std::ostringstream seconds;
  seconds.precision(17);
  seconds << options.seconds;
  add("--seconds", seconds.str());
  if (options.json) out.emplace_back("--json");
  return out;
}

int run_as_rank(const CommTest& test, const CommTestOptions& options) {
  World world = init();
  const std::int64_t wrong = run_comm_test(world, test, options);
  world.close();
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int comm_test(const CommTestOptions& options) {
  const std::int64_t launched_ranks = runtime::read_launch_environment().ranks;
  const bool launched = launched_ranks > 1;
  if (launched && !options.as_rank && options.ranks != 0) {
    throw UsageError(
        "comm-test: a launcher has started this as one of several ranks already; leave -n out");
  }
  if (launched || options.as_rank) {
    return run_as_rank(read_comm_test(options, launched_ranks), options);
  }
  LaunchOptions launching;
  launching.ranks = static_cast<std::size_t>(options.ranks);
  if (options.ranks == 0) {
    launching.ranks = options.on_gpus ? static_cast<std::size_t>(runtime::count_gpus()) : 2;
  }
  // Its mistakes are said once.
  read_comm_test(options, static_cast<std::int64_t>(launching.ranks));
  launching.prefix = false;
  launching.program = rank_command(options);
  std::cout.flush();
  const TraceOfRanks trace(launching);
  SegmentObserver observer(launching.ranks, launching.record);
  const int exit_code = launch(launching, &observer);
  std::cerr << trace.merge();
  return exit_code;
}

}  // namespace tutti::tools
