#pragma once

#include <tutti/ir/text/print.h>

#include <filesystem>
#include <string>

namespace tutti::tools {

// The functions of a .tutti file, or of standard input for the path "-", for which ir::verify()
// holds. Throws EnvironmentError if it can't be read, ParseError and VerifyError, which name the
// file, for what is wrong in it.
ir::Module read_program(const std::filesystem::path& path);

// The function of that name, as `f` or `@f`; empty: the only one. Throws UsageError, which names
// the file, where there is no such function, and EnvironmentError if the file has none at all.
const ir::Graph& find_function(const ir::Module& module, const std::string& given,
                               const std::filesystem::path& path);

}  // namespace tutti::tools
