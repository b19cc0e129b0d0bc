#include "tools/commands/export_command.h"

#include <tutti/ir/stablehlo/export.h>
#include <tutti/ir/support/error.h>

#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include "tools/commands/command_help.h"
#include "tools/read_program.h"
#include "tools/write_output.h"

namespace tutti::tools {

namespace {

struct ExportOptions {
  std::string file;
  std::string output;
  std::string function;
};

void export_program(const ExportOptions& options) {
  ir::Module module = read_program(options.file);
  if (!options.function.empty()) {
    ir::Graph only = find_function(module, options.function, options.file);
    module.functions.clear();
    module.functions.push_back(std::move(only));
  }
  if (module.functions.empty()) throw EnvironmentError(options.file + ": has no function");
  write_output(options.output, ir::export_stablehlo(module), std::cout);
}

}  // namespace

void add_export(CLI::App& app) {
  auto options = std::make_shared<ExportOptions>();
  CLI::App* const command = app.add_subcommand(
      "export", "Makes StableHLO of a .tutti file, a program that JAX's compiler reads");
  command->add_option("FILE", options->file, "The program; -: standard input")
      ->required()
      ->option_text("FILE.tutti");
  command
      ->add_option("-o,--output", options->output,
                   "Where the program goes; without it, it is printed")
      ->option_text("FILE.mlir");
  command
      ->add_option("--function", options->function,
                   "Only this function, which becomes @main; so does a file's only one")
      ->option_text("NAME");
  add_examples(*command,
               {"tutti export step.tutti -o step.mlir", "tutti export step.tutti --function loss"});
  command->callback([options] { export_program(*options); });
}

}  // namespace tutti::tools
