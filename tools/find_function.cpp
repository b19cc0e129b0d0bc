#include "tools/find_function.h"

#include <tutti/ir/names.h>
#include <tutti/ir/support/error.h>

#include <string_view>
#include <vector>

namespace tutti::tools {

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
  if (names.empty()) throw UsageError(file + " has no function");
  if (name.empty()) {
    throw UsageError(file + " has several functions, " + list + "; choose one with --function");
  }
  throw UsageError(file + " has no function @" + name + ir::suggestion(name, names) + "; it has " +
                   list);
}

}  // namespace tutti::tools
