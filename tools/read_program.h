#pragma once

#include <tutti/ir/print.h>

#include <filesystem>
#include <string>

namespace tutti::tools {

// The functions of a .tutti file, or of what is read from the standard input if the path is `-`,
// for which ir::verify() holds. Throws EnvironmentError if it can't be read, ParseError and
// VerifyError, which name the file, for what is wrong in it.
ir::Module read_program(const std::filesystem::path& path);

// The function of that name, or the only one if the name is empty. Throws UsageError, which names
// the file, if there is no such one or several.
const ir::Graph& find_function(const ir::Module& module, const std::string& wanted,
                               const std::string& file);

}  // namespace tutti::tools
