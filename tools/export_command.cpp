#include "tools/export_command.h"

#include <tutti/ir/stablehlo/export.h>
#include <tutti/ir/support/error.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>

#include "tools/read_program.h"

namespace tutti::tools {

namespace {

namespace fs = std::filesystem;

struct ExportOptions {
  std::string file;
  std::string output;
  std::string function;
};

// All of it or nothing: to a file beside it that takes its place.
void write_text(const std::string& path, const std::string& text) {
  if (path.empty() || path == "-") {
    std::cout << text;
    return;
  }
  const std::string beside = path + ".new";
  std::ofstream file(beside, std::ios::binary);
  file << text;
  file.close();
  std::error_code error;
  if (file) fs::rename(beside, path, error);
  if (file && !error) return;
  std::error_code ignored;
  fs::remove(beside, ignored);
  throw EnvironmentError(path + ": cannot be written");
}

void keep_only(ir::Module& module, const std::string& function, const std::string& file) {
  const auto found = std::ranges::find(module.functions, function, &ir::Graph::name);
  if (found == module.functions.end()) {
    throw UsageError(file + " has no function @" + function);
  }
  ir::Graph only = std::move(*found);
  module.functions.clear();
  module.functions.push_back(std::move(only));
}

void export_program(const ExportOptions& options) {
  ir::Module module = read_program(options.file);
  if (!options.function.empty()) keep_only(module, options.function, options.file);
  write_text(options.output, ir::export_stablehlo(module));
}

}  // namespace

void add_export(CLI::App& app) {
  auto options = std::make_shared<ExportOptions>();
  CLI::App* const command = app.add_subcommand(
      "export", "Makes StableHLO of a .tutti file, a program that JAX's compiler reads");
  command->add_option("file", options->file, "The program")->required()->option_text("FILE.tutti");
  command
      ->add_option("-o,--output", options->output,
                   "Where the program goes; without it, to standard output")
      ->option_text("FILE.mlir");
  command
      ->add_option("--function", options->function,
                   "Only this function, which becomes @main; so does a file's only one")
      ->option_text("NAME");
  command->callback([options] { export_program(*options); });
}

}  // namespace tutti::tools
