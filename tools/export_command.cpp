#include "tools/export_command.h"

#include <tutti/ir/stablehlo/export.h>
#include <tutti/ir/support/error.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <string>

#include "tools/read_program.h"
#include "tools/write_file.h"

namespace tutti::tools {

namespace {

struct ExportOptions {
  std::string file;
  std::string output;
  std::string function;
};

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
  const std::string text = ir::export_stablehlo(module);
  if (options.output.empty() || options.output == "-") {
    std::cout << text;
  } else {
    write_file(options.output, text);
  }
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
