#pragma once

#include <tutti/ir/print.h>

#include <filesystem>
#include <string>

namespace tutti::tools {

// The function of that name, or the only one if `name` is empty. Throws UsageError, which names the
// file and its functions, if there is no such one or a choice is needed.
const ir::Graph& find_function(const ir::Module& module, const std::string& name,
                               const std::filesystem::path& file);

}  // namespace tutti::tools
