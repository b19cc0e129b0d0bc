#pragma once

#include <filesystem>
#include <string_view>

namespace tutti::tools {

// Writes a file, all of it or nothing. Throws EnvironmentError where it cannot be written.
void write_text(const std::filesystem::path& path, std::string_view text);

}  // namespace tutti::tools
