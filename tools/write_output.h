#pragma once

#include <filesystem>
#include <ostream>
#include <string>

namespace tutti::tools {

// Writes a text where -o says: into a file, or to `out` if that is empty or "-".
void write_output(const std::filesystem::path& output, const std::string& text, std::ostream& out);

}  // namespace tutti::tools
