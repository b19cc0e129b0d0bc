#include "tools/run.h"

#include <tutti/ir/support/error.h>
#include <tutti/ir/text/literal.h>
#include <tutti/runtime/files/npy.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <system_error>
#include <utility>

#include "tools/array_files.h"
#include "tools/gpu_placement.h"
#include "tools/program_inputs.h"
#include "tools/random_inputs.h"
#include "tools/rank_processes.h"
#include "tools/read_program.h"
#include "tools/sharded_arrays.h"
#include "tools/timing.h"

namespace tutti::tools {

namespace {

namespace fs = std::filesystem;

void print_results(const std::vector<std::vector<ir::Array>>& results) {
  for (std::size_t rank = 0; rank < results.size(); ++rank) {
    if (results.size() > 1) std::cout << "rank " << rank << "\n";
    for (const ir::Array& result : results[rank]) {
      std::string text;
      ir::append_array(text, result);
      std::cout << text << "\n";
    }
  }
}

void print_memory(const std::vector<RankResult>& results) {
  for (std::size_t rank = 0; rank < results.size(); ++rank) {
    if (results.size() > 1) std::cout << "memory of rank " << rank << "\n";
    std::cout << results[rank].memory;
  }
}

// TUTTI_DISABLE and TUTTI_SET with what the command line adds.
codegen::CompileOptions compile_options(const RunOptions& options) {
  runtime::Settings::process();  // its mistakes are not those of the command line
  const auto joined = [](const char* variable, const std::vector<std::string>& given) {
    const char* const value = std::getenv(variable);
    std::string out = value == nullptr ? "" : value;
    for (const std::string& each : given) out += (out.empty() ? "" : ",") + each;
    return out;
  };
  const std::string tunables = joined("TUTTI_SET", options.tunables);
  codegen::CompileOptions out;
  try {
    out = codegen::compile_options(runtime::Settings([&](const char* name) {
      return std::string_view(name) == "TUTTI_SET" ? tunables.c_str() : std::getenv(name);
    }));
  } catch (const EnvironmentError& error) {
    throw UsageError("--set: " + std::string(error.what()));
  }
  out.disabled.insert(out.disabled.end(), options.disabled.begin(), options.disabled.end());
  return out;
}

// [rank][parameter]
std::vector<std::vector<ir::Array>> inputs_of_ranks(const ir::Graph& function, std::int64_t ranks,
                                                    const RunOptions& options) {
  std::vector<std::vector<ir::Array>> out;
  if (options.random) {
    const ir::Graph shaped = with_sizes(function, options.sizes);
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
      out.push_back(random_inputs(shaped, *options.random, rank));
    }
    return out;
  }
  InputFiles files(function, options.inputs);
  for (std::int64_t rank = 0; rank < ranks; ++rank) out.push_back(files.read(rank));
  return out;
}

std::int64_t ranks_to_run(const ir::Graph& function, std::int64_t asked) {
  if (asked == 0) return count_ranks(function);
  if (function.mesh == nullptr || asked == function.mesh->ranks()) return asked;
  throw UsageError("@" + function.name + " runs on the " + std::to_string(function.mesh->ranks()) +
                   " ranks of its mesh, not on " + std::to_string(asked));
}

// What there is to find before a long run.
void check_expected(const RunOptions& options) {
  if (options.expect.empty()) return;
  static_cast<void>(ArrayFiles("--expect", options.expect));
  std::error_code ignored;  // then nothing is there that could be the same
  const fs::path expected = fs::weakly_canonical(options.expect, ignored);
  if (options.output.empty() || fs::weakly_canonical(options.output, ignored) != expected) return;
  throw UsageError("--output and --expect are both '" + options.expect +
                   "': results would be compared with themselves; give --output another place");
}

// Nothing if it failed, which has been said.
std::optional<std::vector<RankResult>> run_ranks(const ir::Graph& function, std::int64_t ranks,
                                                 const RunOptions& options,
                                                 const codegen::CompileOptions& compiling,
                                                 int gpus) {
  if (options.processes) {
    check_ranks(function, ranks);
    return run_in_processes(function, ranks, options);
  }
  const auto inputs = inputs_of_ranks(function, ranks, options);
  if (options.mode == RunMode::compiled) {
    return run_timed(function, inputs, compiling, options.bench ? options.timed_runs : 0, gpus);
  }
  std::vector<RankResult> out;
  for (auto& arrays : execute(function, inputs, options.mode, compiling)) {
    out.push_back({.arrays = std::move(arrays), .times = {}});
  }
  return out;
}

}  // namespace

bool run(const RunOptions& options) {
  const codegen::CompileOptions compiling = compile_options(options);
  const ir::Module module = read_program(options.file);
  const ir::Graph& function = find_function(module, options.function, options.file);
  if (!options.as_rank.empty()) {
    run_as_rank(function, options, compiling);
    return true;
  }
  const std::int64_t ranks = ranks_to_run(function, options.ranks);
  const int gpus = options.on_gpus ? count_gpus() : 0;
  if (options.compile_only) {
    compile_only(function, ranks, compiling, gpus);
    return true;
  }
  check_expected(options);
  const bool to_files = !options.output.empty();
  for (std::size_t i = 0; to_files && i < function.results().size(); ++i) {
    runtime::check_npy_dtype(function.type(function.results()[i]).dtype,
                             "result " + std::to_string(i));
  }
  if (to_files) {
    check_output("--output", options.output,
                 is_of_wholes(function) ? 1 : static_cast<std::size_t>(ranks),
                 function.results().size());
  }
  const auto ran = run_ranks(function, ranks, options, compiling, gpus);
  if (!ran) return false;
  std::vector<std::vector<ir::Array>> results;
  for (const RankResult& rank : *ran) results.push_back(rank.arrays);
  if (options.bench) std::cout << timing_text(function.name, *ran);
  if (is_of_wholes(function)) {
    for (const std::string& copy : differing_copies(function, results)) {
      std::cerr << "tutti: warning: " << copy << "\n";
    }
    results = {whole_results(function, results)};
  }
  if (to_files) write_arrays(options.output, results);
  bool as_expected = true;
  if (!options.expect.empty()) {
    as_expected = compare_results(results, options.expect, options.tolerance, std::cout);
  } else if (!to_files && !options.bench) {
    print_results(results);
  }
  if (options.memory) print_memory(*ran);
  return as_expected;
}

}  // namespace tutti::tools
