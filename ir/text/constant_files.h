#pragma once

#include <tutti/ir/array.h>

#include <cstdint>
#include <functional>
#include <string>

// Large constants beside a text instead of inside it: `f32[1000,1000] file("constants/1f3a.bin")`.
// A file has the elements alone, row-major and little-endian, since the text has dtype and shape.
namespace tutti::ir {

// Arrays of more elements go into files. Up to here they are a few lines, and a file for them would
// cost a reader more than it saves.
inline constexpr std::int64_t kMostInline = 64;

// Puts the data of an array somewhere and gives the name that the text has for it.
using StoreConstant = std::function<std::string(const Array&)>;
// The array that a text has under a name. Throws an Error that says what is wrong with it.
using LoadConstant = std::function<Array(const std::string& name, DType, const Shape&)>;

// Files in the folder `constants` beside the texts of a folder. They are named by what they hold,
// so that texts with the same constants share them, and appear whole or not at all. Throws
// EnvironmentError where a file cannot be written.
StoreConstant store_constants_beside(const std::string& folder);

// Reads files whose names are relative to a folder, that of the text. Throws EnvironmentError where
// one would lie outside of it, cannot be read or has not as many bytes as the array.
LoadConstant load_constants_beside(const std::string& folder);

}  // namespace tutti::ir
