#pragma once

#include <filesystem>
#include <string>

namespace tutti::tools {

// What stands in a file, or in standard input for "-"; without the mark of UTF-8 that some editors
// write first. Throws EnvironmentError, which says why, if it can't be read.
std::string read_text(const std::filesystem::path& path);

}  // namespace tutti::tools
