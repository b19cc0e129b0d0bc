#include "tools/read_program.h"

#include <tutti/ir/function.h>
#include <tutti/ir/names.h>
#include <tutti/ir/parse.h>
#include <tutti/ir/support/error.h>
#include <tutti/ir/verify.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace tutti::tools {

namespace {

std::string text_of(std::istream& in) {
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string text_of_file(const std::filesystem::path& path) {
  if (std::filesystem::is_directory(path)) {
    throw EnvironmentError(path.string() +
                           ": is a folder and no program; `tutti diff`, `bisect` and `reduce` take "
                           "one with a program for each rank, as --ranks DIR");
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw EnvironmentError(path.string() +
                           ": cannot be read: " + std::generic_category().message(errno));
  }
  return text_of(file);
}

}  // namespace

ir::Module read_program(const std::filesystem::path& path) {
  const std::string name = path == "-" ? "standard input" : path.string();
  // Constants in files lie beside the program; those of standard input, in the working directory.
  const std::string folder = path == "-" ? "" : path.parent_path().string();
  ir::Module module = ir::parse(path == "-" ? text_of(std::cin) : text_of_file(path), name,
                                ir::load_constants_beside(folder));
  try {
    for (const ir::Graph& function : module.functions) ir::verify(function);
  } catch (const VerifyError& error) {
    throw VerifyError(name + ": " + error.what());
  }
  return module;
}

const ir::Graph& find_function(const ir::Module& module, const std::string& name,
                               const std::filesystem::path& path) {
  std::vector<std::string_view> names;
  std::string list;
  for (const ir::Graph& function : module.functions) {
    if (function.name == name) return function;
    names.push_back(function.name);
    list += (list.empty() ? "@" : ", @") + function.name;
  }
  if (name.empty() && names.size() == 1) return module.functions[0];
  const std::string file = path.string();
  for (const ir::Graph& function : module.functions) {
    const auto inner = ir::all_functions(function);
    if (name.empty() || std::ranges::none_of(inner, [&](const ir::FunctionPtr& each) {
          return each->graph().name == name;
        })) {
      continue;
    }
    throw UsageError("@" + name + " of " + file + " is private: it goes with @" + function.name +
                     ", which runs it, and can't be chosen by itself");
  }
  if (names.empty()) throw UsageError(file + " has no function");
  if (name.empty()) {
    throw UsageError(file + " has several functions, " + list + "; choose one with --function");
  }
  throw UsageError(file + " has no function @" + name + ir::suggestion(name, names) + "; it has " +
                   list);
}

}  // namespace tutti::tools
