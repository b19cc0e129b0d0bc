#pragma once

#include <tutti/ir/array.h>
#include <tutti/ir/type.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>

// NumPy's .npy files, formats 1.0 and 2.0, little endian and in C order. The format has no
// bfloat16.
namespace tutti::runtime {

// Is told what a header says before the data are looked at; throws what does not fit.
using AcceptArray = std::function<void(const ir::Type&)>;

// Reads an array. Throws ParseError, naming the file, for whatever is not exactly one array of a
// dtype that Tutti has; EnvironmentError where the file cannot be read; what `accept` throws.
ir::Array read_npy(const std::filesystem::path& path, const AcceptArray& accept = {});

// The same from a stream of so many bytes, or so it says, which messages call `path`. Reads no more
// of it than the header and the array that was accepted.
ir::Array read_npy(std::istream& file, std::int64_t file_size, const std::filesystem::path& path,
                   const AcceptArray& accept);

// Writes an array, all of it or nothing. Throws TypeError for bf16 and the 8-bit floats,
// EnvironmentError where the file cannot be written.
void write_npy(const std::filesystem::path& path, const ir::Array& array);

// What such a file holds. The dtype must be one that check_npy_dtype() takes.
std::string npy_text(const ir::Array& array);

// Throws TypeError if a .npy file cannot hold this dtype; `what` is what has it.
void check_npy_dtype(DType dtype, const std::string& what);

}  // namespace tutti::runtime
