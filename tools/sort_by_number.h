#pragma once

#include <filesystem>
#include <vector>

namespace tutti::tools {

// Sorts what lies in a folder by the numbers that names begin with, then by the names: dumps number
// executables 0001, ..., 9999, 10000.
void sort_by_number(std::vector<std::filesystem::path>& entries);

}  // namespace tutti::tools
