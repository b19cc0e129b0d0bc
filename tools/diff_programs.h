#pragma once

#include <filesystem>
#include <ostream>
#include <string>

namespace tutti::tools {

// Compares two programs (ir::difference), function by function: those of one name, or the only ones
// of both files. Writes for each how they differ, or that they are equal but for names and lines;
// gives whether all are equal. `function` names the only one to compare, if it is not empty.
bool diff_programs(const std::filesystem::path& a, const std::filesystem::path& b,
                   const std::string& function, std::ostream& out);

}  // namespace tutti::tools
