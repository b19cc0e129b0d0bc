#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tutti::kernels {

// The CUDA C++ files of this folder, as text for a compiler that reads no files:
// device_text("packs") is packs.cuh. They need no header of a toolkit. Throws InternalError if
// there is no such file.
std::string_view device_text(std::string_view name);

// The texts named and those they include, each once and in an order in which they compile.
std::string device_texts(std::span<const std::string_view> names);

}  // namespace tutti::kernels
