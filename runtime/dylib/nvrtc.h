#pragma once

#include <tutti/runtime/dylib/shared_library.h>

#include <string>

#include <nvrtc.h>

// The functions of NVRTC that Tutti calls.
#define TUTTI_NVRTC_FUNCTIONS(X) \
  X(nvrtcVersion)                \
  X(nvrtcGetErrorString)         \
  X(nvrtcGetNumSupportedArchs)   \
  X(nvrtcGetSupportedArchs)      \
  X(nvrtcCreateProgram)          \
  X(nvrtcDestroyProgram)         \
  X(nvrtcCompileProgram)         \
  X(nvrtcGetProgramLogSize)      \
  X(nvrtcGetProgramLog)          \
  X(nvrtcGetCUBINSize)           \
  X(nvrtcGetCUBIN)               \
  X(nvrtcGetPTXSize)             \
  X(nvrtcGetPTX)

namespace tutti::runtime {

// The compiler of CUDA C++; works without a GPU and without a driver.
class Nvrtc {
 public:
  // The one of this process, loaded at the first call. Throws EnvironmentError that says what is
  // missing and what to do.
  static const Nvrtc& process();

  // Takes over a library; throws as process() does.
  explicit Nvrtc(SharedLibrary library);

  const SharedLibrary& library() const { return library_; }
  // "13.0"
  const std::string& version() const { return version_; }

  // Throws EnvironmentError if a call failed.
  void check(nvrtcResult result, const char* call) const;

  // NOLINTBEGIN(readability-identifier-naming): their names are their library's
#define TUTTI_MEMBER(name) decltype(&::name) name = nullptr;
  TUTTI_NVRTC_FUNCTIONS(TUTTI_MEMBER)
#undef TUTTI_MEMBER
  // NOLINTEND(readability-identifier-naming)

 private:
  SharedLibrary library_;
  std::string version_;
};

// That of this process, see open_library_of_cuda.
SharedLibrary open_nvrtc(int driver_version);

}  // namespace tutti::runtime
