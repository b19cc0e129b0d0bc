#pragma once

#include <tutti/ir/array.h>

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

// NumPy's .npz files: zip archives of .npy files. Builds without libzip have none.
namespace tutti::tools {

// Whether a path is to be one, by its ending.
bool is_npz(const std::filesystem::path& path);

// The arrays by name ("x" of the entry x.npy), stored or compressed. Throws ParseError, naming the
// file, for what is no such archive, and EnvironmentError where it cannot be read.
std::map<std::string, ir::Array> read_npz(const std::filesystem::path& path);

// Writes an archive of stored arrays, all of it or nothing, and the folder that it lies in. Throws
// TypeError for bf16, EnvironmentError where it cannot be written.
void write_npz(const std::filesystem::path& path,
               const std::vector<std::pair<std::string, ir::Array>>& arrays);

}  // namespace tutti::tools
