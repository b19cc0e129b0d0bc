#include "tools/import_command.h"

#include <tutti/ir/stablehlo/import.h>
#include <tutti/ir/support/error.h>
#include <tutti/ir/verify.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>

#include "tools/write_file.h"

namespace tutti::tools {

namespace {

namespace fs = std::filesystem;

struct ImportOptions {
  std::string file;
  std::string output;
};

std::string read_text(const std::string& path) {
  if (path == "-") {
    return {std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()};
  }
  std::ifstream file(path, std::ios::binary);
  if (!file || fs::is_directory(path)) throw EnvironmentError(path + ": cannot be read");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void import(const ImportOptions& options) {
  const std::string name = options.file == "-" ? "<stdin>" : options.file;
  const ir::Module module = ir::import_stablehlo(read_text(options.file), name);
  for (const ir::Graph& function : module.functions) ir::verify(function);
  if (options.output.empty() || options.output == "-") {
    std::cout << ir::print(module);
  } else {
    write_file(options.output, ir::print(module));
  }
}

}  // namespace

void add_import(CLI::App& app) {
  auto options = std::make_shared<ImportOptions>();
  CLI::App* const command = app.add_subcommand(
      "import",
      "Makes a .tutti file of a program of JAX's: StableHLO as jax.jit(f).lower(...).as_text() "
      "prints it");
  command->add_option("file", options->file, "The program; - is standard input")
      ->required()
      ->option_text("FILE.mlir");
  command
      ->add_option("-o,--output", options->output,
                   "Where the program goes; without it, to standard output")
      ->option_text("FILE.tutti");
  command->callback([options] { import(*options); });
}

}  // namespace tutti::tools
