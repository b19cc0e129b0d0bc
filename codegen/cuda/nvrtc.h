#pragma once

#include <tutti/codegen/cuda/resource_use.h>
#include <tutti/codegen/cuda/source.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// One kernel through NVRTC, without any memory of it. Thread-safe.
namespace tutti::codegen::cuda {

struct Compiled {
  std::vector<std::byte> cubin;
  ResourceUse use;
  std::string log;  // with the compiler's warnings, if there are any
};

// Compiles a kernel for a GPU ("sm_90"). Throws InternalError, with what NVRTC says and the lines
// it speaks of, if the text is not right, and EnvironmentError if NVRTC is missing or does not know
// the GPU.
Compiled compile_source(const Source& source, std::string_view target);

// The same as text of PTX, between CUDA C++ and machine code.
std::string ptx_of(const Source& source, std::string_view target);

// For the keys of caches: NVRTC's version and all options but the target.
std::string compiler_text();

}  // namespace tutti::codegen::cuda
