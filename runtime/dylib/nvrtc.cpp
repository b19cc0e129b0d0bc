#include <tutti/runtime/dylib/cuda.h>
#include <tutti/runtime/dylib/load_functions.h>
#include <tutti/runtime/dylib/nvrtc.h>

#include <utility>

namespace tutti::runtime {

namespace {

constexpr std::string_view kNvrtcName = "libnvrtc.so.";
constexpr const char* kNvrtcRemedy = "install NVRTC of CUDA 12.0 or later";

}  // namespace

SharedLibrary open_nvrtc(int driver_version) {
  return open_library_of_cuda(kNvrtcName, driver_version);
}

// Never destroyed, like those who use it.
const Nvrtc& Nvrtc::process() {
  static const auto* const nvrtc = new Nvrtc(open_nvrtc(CudaDriver::version_of_process()));
  return *nvrtc;
}

Nvrtc::Nvrtc(SharedLibrary library) : library_(std::move(library)) {
  if (!library_.is_open()) {
    throw EnvironmentError("there is no NVRTC here, which compiles kernels for GPUs: tried " +
                           library_.tried() +
                           "; install the CUDA toolkit (or its part nvrtc), and name its folder in "
                           "TUTTI_CUDA_LIBRARIES if it is none of these");
  }
#define TUTTI_LOAD(name) TUTTI_LOAD_FUNCTION(library_, kNvrtcRemedy, name)
  TUTTI_NVRTC_FUNCTIONS(TUTTI_LOAD)
#undef TUTTI_LOAD
  int major = 0;
  int minor = 0;
  check(nvrtcVersion(&major, &minor), "nvrtcVersion");
  version_ = std::to_string(major) + "." + std::to_string(minor);
}

void Nvrtc::check(nvrtcResult result, const char* call) const {
  if (result == NVRTC_SUCCESS) return;
  throw EnvironmentError(std::string(call) + " failed: " + nvrtcGetErrorString(result) + " (" +
                         library_.path() + ")");
}

}  // namespace tutti::runtime
