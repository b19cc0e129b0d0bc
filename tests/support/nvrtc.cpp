#include "tests/support/nvrtc.h"

#include <dlfcn.h>

#if TUTTI_HAS_CUDA
#include <tutti/codegen/cuda/nvrtc.h>
#include <tutti/ir/support/error.h>
#endif

namespace tutti::test {

std::string why_no_nvrtc() {
#if TUTTI_HAS_CUDA
  // NVRTC asks a driver that is loaded, and the double has not all that it asks for.
  if (dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD) != nullptr) {
    return "a test before this one has loaded the double of the driver; without sanitizers, ctest "
           "gives each a process";
  }
  try {
    codegen::cuda::compiler_text();
    return {};
  } catch (const EnvironmentError& error) {
    return std::string("NVRTC, which is optional, is not there: ") + error.what();
  }
#else
  return "this build has no CUDA";
#endif
}

}  // namespace tutti::test
