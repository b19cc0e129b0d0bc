#include "tools/run.h"

#include <tutti/ir/literal.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "tools/npy.h"
#include "tools/program_inputs.h"
#include "tools/read_program.h"
#include "tools/sharded_arrays.h"

namespace tutti::tools {

namespace {

namespace fs = std::filesystem;

void write_results(const std::vector<std::vector<ir::Array>>& results, const fs::path& output) {
  for (std::size_t rank = 0; rank < results.size(); ++rank) {
    const fs::path folder = results.size() == 1 ? output : output / ("rank" + std::to_string(rank));
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) throw EnvironmentError(folder.string() + ": cannot be made: " + error.message());
    for (std::size_t i = 0; i < results[rank].size(); ++i) {
      write_npy(folder / (std::to_string(i) + ".npy"), results[rank][i]);
    }
  }
}

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

// TUTTI_DISABLE and TUTTI_SET with what the command line adds.
codegen::CompileOptions compile_options(const RunOptions& options) {
  runtime::Settings::process();  // its mistakes are not those of the command line
  const auto joined = [](const char* variable, const std::vector<std::string>& given) {
    const char* const value = std::getenv(variable);
    std::string out = value == nullptr ? "" : value;
    for (const std::string& each : given) out += "," + each;
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

}  // namespace

void run(const RunOptions& options) {
  const codegen::CompileOptions compiling = compile_options(options);
  const ir::Module module = read_program(options.file);
  const ir::Graph& function = find_function(module, options.function, options.file.string());
  const std::int64_t ranks = options.ranks != 0 ? options.ranks : count_ranks(function);
  if (options.compile_only) {
    compile_only(function, ranks, compiling);
    return;
  }
  const bool to_files = !options.output.empty();
  for (std::size_t i = 0; to_files && i < function.results().size(); ++i) {
    check_npy_dtype(function.type(function.results()[i]).dtype, "result " + std::to_string(i));
  }
  InputFiles files(function, options.inputs);
  std::vector<std::vector<ir::Array>> inputs;
  for (std::int64_t rank = 0; rank < ranks; ++rank) inputs.push_back(files.read(rank));
  auto results = execute(function, inputs, options.engine, compiling);
  if (is_of_wholes(function)) results = {whole_results(function, results)};
  if (to_files) {
    write_results(results, options.output);
  } else {
    print_results(results);
  }
}

}  // namespace tutti::tools
