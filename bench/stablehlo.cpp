// Runs a program of JAX's as often as it is told to, and says how long a run takes.
//
//   bench_stablehlo program.mlir --input arguments.npz --output results.npz
//
// Prints a line of JSON with the seconds of what comes before: import, compile, and the first two
// runs, which make code of their own. Then each number that it reads from standard input is a
// number of runs, for which it prints {"seconds": ...} of one of them. So whoever compares it with
// a peer can let the two take turns, without a process being started in between. With --cache
// FOLDER, compiled code is kept there, and what a process before has left is used.
#include <tutti/codegen/driver/compile.h>
#include <tutti/ir/stablehlo/import.h>
#include <tutti/ir/support/error.h>
#include <tutti/ir/verify/verify.h>
#include <tutti/runtime/comm/host_backend.h>
#include <tutti/runtime/comm/local.h>
#include <tutti/runtime/files/npz.h>
#include <tutti/runtime/run/context.h>
#include <tutti/runtime/settings.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

namespace {

using namespace tutti;

template <class F>
double seconds_of(F&& f) {
  const auto begin = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::shared_ptr<runtime::Buffer>> read_arguments(const ir::Graph& function,
                                                             const std::string& path,
                                                             runtime::Context& context) {
  std::vector<std::shared_ptr<runtime::Buffer>> out;
  const runtime::NpzReader reader(path);
  for (const ir::Parameter& parameter : function.parameters()) {
    const ir::Array array = reader.read(parameter.name);
    const ir::Type& wanted = function.type(parameter.value);
    if (array.dtype() != wanted.dtype || array.shape() != wanted.shape) {
      throw TypeError("argument " + parameter.name + " is not " + wanted.text());
    }
    const auto bytes = array.bytes();
    out.push_back(context.allocator.allocate(bytes.size()));
    std::ranges::copy(bytes, out.back()->data());
  }
  return out;
}

void write_results(const std::vector<codegen::Executable::Result>& results,
                   const std::string& path) {
  std::vector<std::pair<std::string, ir::Array>> arrays;
  for (const codegen::Executable::Result& result : results) {
    ir::Array array(result.type.dtype, result.type.shape);
    const auto bytes = array.bytes();
    std::copy_n(result.buffer->data(), bytes.size(), bytes.begin());
    arrays.emplace_back(std::to_string(arrays.size()), std::move(array));
  }
  runtime::write_npz(path, arrays);
}

void measure(const std::string& file, const std::string& input, const std::string& output,
             int threads) {
  const std::string text = read_text(file);
  ir::Module module;
  const double importing = seconds_of([&] {
    module = ir::import_stablehlo(text, file);
    for (const ir::Graph& function : module.functions) ir::verify(function);
  });
  const ir::Graph& function = module.functions.at(0);
  runtime::Context context(
      std::make_unique<runtime::HostBackend>(std::make_shared<runtime::LocalFabric>(1), 0),
      threads);
  // TUTTI_DUMP, TUTTI_LOG, TUTTI_SET and TUTTI_DISABLE work here, too.
  const codegen::CompileOptions options = codegen::compile_options(runtime::Settings::process());
  std::unique_ptr<codegen::Executable> executable;
  const double compiling =
      seconds_of([&] { executable = codegen::compile(function, context, options); });
  const auto arguments = read_arguments(function, input, context);
  std::vector<codegen::Executable::Result> results;
  const auto run = [&] {
    results.clear();
    executable->run(arguments, {}, results);
  };
  const double first = seconds_of(run);
  const double second = seconds_of(run);
  write_results(results, output);
  std::cout << "{\"import\": " << importing << ", \"compile\": " << compiling
            << ", \"first\": " << first << ", \"second\": " << second << "}" << std::endl;
  std::int64_t count = 0;
  while (std::cin >> count) {
    const double seconds = seconds_of([&] {
      for (std::int64_t i = 0; i < count; ++i) run();
    });
    std::cout << "{\"seconds\": " << seconds / static_cast<double>(count) << "}" << std::endl;
  }
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app("Measures a StableHLO program.");
  std::string file;
  std::string input;
  std::string output;
  std::string cache;
  int threads = 2;
  app.add_option("file", file, "the program")->required()->check(CLI::ExistingFile);
  app.add_option("--input", input, "an .npz file with arg0, arg1, ...")->required();
  app.add_option("--output", output, "where results go, an .npz file")->required();
  app.add_option("--threads", threads, "that compute")->check(CLI::PositiveNumber);
  app.add_option("--cache", cache, "the folder of a disk cache; without it there is none");
  CLI11_PARSE(app, argc, argv);
  setenv("TUTTI_CACHE", cache.empty() ? "off" : "on", 1);  // compiling is measured
  if (!cache.empty()) setenv("TUTTI_CACHE_DIR", cache.c_str(), 1);
  measure(file, input, output, threads);
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
