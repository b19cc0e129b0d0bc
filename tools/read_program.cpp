#include "tools/read_program.h"

#include <tutti/ir/function.h>
#include <tutti/ir/names.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/support/error.h>
#include <tutti/ir/verify/verify.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "tools/read_text.h"

namespace tutti::tools {

ir::Module read_program(const std::filesystem::path& path) {
  const std::string name = path == "-" ? "standard input" : path.string();
  if (std::filesystem::is_directory(path)) {
    throw EnvironmentError(name +
                           ": cannot be read: Is a directory; `tutti diff`, `bisect` and `reduce` "
                           "take one with a program for each rank, as --ranks DIR");
  }
  // Constants in files lie beside the program; those of standard input, in the working directory.
  const std::string folder = path == "-" ? "" : path.parent_path().string();
  ir::Module module = ir::parse(read_text(path), name, ir::load_constants_beside(folder));
  try {
    for (const ir::Graph& function : module.functions) ir::verify(function);
  } catch (const VerifyError& error) {
    throw VerifyError(name + ": " + error.what());
  }
  return module;
}

const ir::Graph& find_function(const ir::Module& module, const std::string& given,
                               const std::filesystem::path& path) {
  const std::string name = given.starts_with("@") ? given.substr(1) : given;
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
  if (names.empty()) throw EnvironmentError(file + ": has no function");
  if (name.empty()) {
    throw UsageError(file + " has several functions, " + list + "; choose one with --function");
  }
  throw UsageError(file + " has no function @" + name + ir::suggestion(name, names) + "; it has " +
                   list);
}

}  // namespace tutti::tools
