#include "tools/read_program.h"

#include <tutti/ir/names.h>
#include <tutti/ir/parse.h>
#include <tutti/ir/support/error.h>
#include <tutti/ir/verify.h>

#include <fstream>
#include <iostream>
#include <iterator>
#include <string_view>
#include <vector>

namespace tutti::tools {

namespace {

std::string read_text(const std::filesystem::path& path) {
  const auto rest_of = [](std::istream& in) {
    return std::string((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  };
  if (path == "-") return rest_of(std::cin);
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path)) {
    throw EnvironmentError(path.string() + ": cannot be read");
  }
  return rest_of(file);
}

}  // namespace

ir::Module read_program(const std::filesystem::path& path) {
  const std::string text = read_text(path);
  ir::Module module = ir::parse(text, path.string());
  try {
    for (const ir::Graph& function : module.functions) ir::verify(function);
  } catch (const VerifyError& error) {
    throw VerifyError(path.string() + ": " + error.what());
  }
  return module;
}

const ir::Graph& find_function(const ir::Module& module, const std::string& wanted,
                               const std::string& file) {
  std::vector<std::string_view> names;
  std::string list;
  for (const ir::Graph& function : module.functions) {
    if (function.name == wanted) return function;
    names.push_back(function.name);
    list += (list.empty() ? "@" : ", @") + function.name;
  }
  if (wanted.empty() && names.size() == 1) return module.functions[0];
  if (names.empty()) throw UsageError(file + " has no function");
  if (wanted.empty()) {
    throw UsageError(file + " has several functions, " + list + "; choose one with --function");
  }
  throw UsageError(file + " has no function @" + wanted + ir::suggestion(wanted, names) +
                   "; it has " + list);
}

}  // namespace tutti::tools
