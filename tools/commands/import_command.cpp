#include "tools/commands/import_command.h"

#include <tutti/ir/stablehlo/import.h>
#include <tutti/ir/support/error.h>
#include <tutti/ir/verify/verify.h>

#include <iostream>
#include <memory>
#include <string>
#include <string_view>

#include "tools/commands/command_help.h"
#include "tools/read_text.h"
#include "tools/write_output.h"

namespace tutti::tools {

namespace {

struct ImportOptions {
  std::string file;
  std::string output;
};

// What a file of MLIR bytecode begins with.
constexpr std::string_view kBytecode = "ML\xEFR";

void import(const ImportOptions& options) {
  const std::string name = options.file == "-" ? "<stdin>" : options.file;
  const std::string text = read_text(options.file);
  if (text.starts_with(kBytecode)) {
    throw EnvironmentError(name +
                           ": this is MLIR bytecode, as jax.export writes it; give the program as "
                           "text, as jax.jit(f).lower(...).as_text() prints it");
  }
  const ir::Module module = ir::import_stablehlo(text, name);
  for (const ir::Graph& function : module.functions) ir::verify(function);
  write_output(options.output, ir::print(module), std::cout);
}

}  // namespace

void add_import(CLI::App& app) {
  auto options = std::make_shared<ImportOptions>();
  CLI::App* const command = app.add_subcommand(
      "import",
      "Makes a .tutti file of a program of JAX's: StableHLO as jax.jit(f).lower(...).as_text() "
      "prints it");
  command->add_option("FILE", options->file, "The program; -: standard input")
      ->required()
      ->option_text("FILE.mlir");
  command
      ->add_option("-o,--output", options->output,
                   "Where the program goes; without it, it is printed")
      ->option_text("FILE.tutti");
  add_examples(*command, {"tutti import step.mlir -o step.tutti",
                          "tutti import step.mlir | tutti run - --random 7"});
  command->callback([options] { import(*options); });
}

}  // namespace tutti::tools
