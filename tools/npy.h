#pragma once

#include <tutti/ir/array.h>

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <string>

// NumPy's .npy files, formats 1.0 and 2.0, little endian and in C order. The format has no
// bfloat16.
namespace tutti::tools {

// Reads an array. Throws ParseError, naming the file, for whatever is not exactly one array of a
// dtype that Tutti has; EnvironmentError where the file cannot be read.
ir::Array read_npy(const std::filesystem::path& path);

// The same from a stream of so many bytes, which messages call `path`.
ir::Array read_npy(std::istream& file, std::int64_t file_size, const std::filesystem::path& path);

// Writes an array, all of it or nothing. Throws TypeError for bf16, EnvironmentError where the file
// cannot be written.
void write_npy(const std::filesystem::path& path, const ir::Array& array);

// The same to a stream, whose state tells whether it worked. The dtype must be one that
// check_npy_dtype() takes.
void write_npy(std::ostream& file, const ir::Array& array);

// Throws TypeError if a .npy file cannot hold this dtype; `what` is what has it.
void check_npy_dtype(DType dtype, const std::string& what);

}  // namespace tutti::tools
