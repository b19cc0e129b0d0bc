#include "tools/read_program.h"

#include <tutti/ir/parse.h>
#include <tutti/ir/support/error.h>
#include <tutti/ir/verify.h>

#include <fstream>
#include <iterator>

namespace tutti::tools {

ir::Module read_program(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path)) {
    throw EnvironmentError(path.string() + ": cannot be read");
  }
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  ir::Module module =
      ir::parse(text, path.string(), ir::load_constants_beside(path.parent_path().string()));
  try {
    for (const ir::Graph& function : module.functions) ir::verify(function);
  } catch (const VerifyError& error) {
    throw VerifyError(path.string() + ": " + error.what());
  }
  return module;
}

}  // namespace tutti::tools
