#pragma once

#include <tutti/ir/print.h>

#include <filesystem>

namespace tutti::tools {

// The functions of a .tutti file ("-": of standard input), for which ir::verify() holds. Throws
// EnvironmentError if it can't be read, ParseError and VerifyError, which name the file, for what
// is wrong in it.
ir::Module read_program(const std::filesystem::path& path);

}  // namespace tutti::tools
