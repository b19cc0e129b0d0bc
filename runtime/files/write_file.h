#pragma once

#include <filesystem>
#include <string_view>

namespace tutti::runtime {

// Writes a file, all of it or nothing: under another name first, in the same folder. What is there
// already and is no file, such as a terminal, /dev/null or a link, is written to as it is. Throws
// EnvironmentError where it cannot be written.
void write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace tutti::runtime
