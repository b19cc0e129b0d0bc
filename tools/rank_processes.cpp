#include "tools/rank_processes.h"

#include <tutti/ir/support/error.h>
#include <tutti/ir/text/print.h>
#include <tutti/lazy/context.h>
#include <tutti/lazy/world.h>
#include <tutti/runtime/files/write_file.h>
#include <tutti/runtime/new_file.h>

#include <fstream>
#include <iostream>
#include <span>

#include "tools/gpu_placement.h"
#include "tools/launch/launch.h"
#include "tools/launch/segment_observer.h"
#include "tools/launch/trace_of_ranks.h"
#include "tools/program_inputs.h"
#include "tools/random_inputs.h"
#include "tools/scratch_folder.h"

namespace tutti::tools {

namespace {

namespace fs = std::filesystem;

// A rank's result as a file: the number of times, the times, the work, the text about memory with
// its length, the arrays' sizes and elements.
fs::path file_of(const fs::path& folder, std::int64_t rank) {
  return folder / ("rank" + std::to_string(rank));
}

void write(const fs::path& path, const RankResult& result) {
  runtime::NewFile file(path.string());
  const auto add = [&](std::span<const std::byte> bytes) { file.write(bytes); };
  const std::size_t times = result.times.size();
  add(std::as_bytes(std::span(&times, 1)));
  add(std::as_bytes(std::span(result.times)));
  add(std::as_bytes(std::span(&result.work, 1)));
  const std::size_t memory = result.memory.size();
  add(std::as_bytes(std::span(&memory, 1)));
  add(std::as_bytes(std::span(result.memory)));
  for (const ir::Array& array : result.arrays) {
    const Shape shape = array.shape();
    add(std::as_bytes(shape.sizes()));
    add(array.bytes());
  }
  if (file.finish()) return;
  throw EnvironmentError(path.string() + ": cannot be written: " + file.failure());
}

RankResult read_result(const fs::path& path, const ir::Graph& function) {
  std::ifstream file(path, std::ios::binary);
  const auto take = [&](std::span<std::byte> bytes) {
    file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (!file) throw EnvironmentError(path.string() + ": cannot be read");
  };
  RankResult out;
  std::size_t times = 0;
  take(std::as_writable_bytes(std::span(&times, 1)));
  out.times.resize(times);
  take(std::as_writable_bytes(std::span(out.times)));
  take(std::as_writable_bytes(std::span(&out.work, 1)));
  std::size_t memory = 0;
  take(std::as_writable_bytes(std::span(&memory, 1)));
  out.memory.resize(memory);
  take(std::as_writable_bytes(std::span(out.memory)));
  for (const ir::Value value : function.results()) {
    const ir::Type& type = function.type(value);
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(type.shape.rank()));
    take(std::as_writable_bytes(std::span(sizes)));
    out.arrays.emplace_back(type.dtype, Shape(sizes));
    take(out.arrays.back().bytes());
  }
  return out;
}

// The command of a rank: this program, with the options that say how it is run.
std::vector<std::string> command(const RunOptions& options, const fs::path& folder,
                                 const fs::path& program) {
  std::vector<std::string> out = {fs::read_symlink("/proc/self/exe"), "run", program, "--as-rank",
                                  folder};
  const auto add = [&](const char* option, const std::string& value) {
    out.push_back(std::string(option) + "=" + value);
  };
  for (const std::string& input : options.inputs) add("--input", input);
  for (const std::string& pass : options.disabled) add("--disable", pass);
  for (const std::string& tunable : options.tunables) add("--set", tunable);
  for (const std::string& size : options.sizes) add("--size", size);
  if (options.random) add("--random", std::to_string(*options.random));
  if (options.on_gpus) add("--on", "device");
  if (options.bench) out.emplace_back("--bench");
  if (options.bench) add("--runs", std::to_string(options.timed_runs));
  return out;
}

}  // namespace

std::optional<std::vector<RankResult>> run_in_processes(const ir::Graph& function,
                                                        std::int64_t ranks,
                                                        const RunOptions& options) {
  if (static_cast<std::size_t>(ranks) > kMostProcesses) {
    throw UsageError("@" + function.name + " is for " + std::to_string(ranks) +
                     " ranks; --processes starts at most " + std::to_string(kMostProcesses));
  }
  const ScratchFolder folder;
  // The file may be standard input, or change.
  const fs::path program = folder.path() / "program.tutti";
  runtime::write_file(program, print(function));
  LaunchOptions launching;
  launching.ranks = static_cast<std::size_t>(ranks);
  launching.program = command(options, folder.path(), program);
  std::cout.flush();
  const TraceOfRanks trace(launching);
  SegmentObserver observer(launching.ranks, launching.record);
  const int exit_code = launch(launching, &observer);
  std::cerr << trace.merge();
  if (exit_code != 0) return std::nullopt;
  std::vector<RankResult> out;
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    out.push_back(read_result(file_of(folder.path(), rank), function));
  }
  return out;
}

void run_as_rank(const ir::Graph& function, const RunOptions& options,
                 const codegen::CompileOptions& compiling) {
  World world = init();
  const std::vector<ir::Array> inputs =
      options.random
          ? random_inputs(with_sizes(function, options.sizes), *options.random, world.rank())
          : InputFiles(function, options.inputs).read(world.rank());
  const RankResult result =
      run_rank(for_rank(function, world.rank(), options.on_gpus ? count_gpus() : 0), inputs,
               compiling, world.context()->runtime(), options.bench ? options.timed_runs : 0);
  write(file_of(options.as_rank, world.rank()), result);
  world.close();
}

}  // namespace tutti::tools
