#include <tutti/runtime/dylib/cublaslt.h>
#include <tutti/runtime/dylib/cuda.h>
#include <tutti/runtime/dylib/load_functions.h>

#include <utility>

namespace tutti::runtime {

namespace {

constexpr std::string_view kCublasLtName = "libcublasLt.so.";
constexpr const char* kCublasLtRemedy = "install cuBLAS of CUDA 12.0 or later";

}  // namespace

SharedLibrary open_cublaslt(int driver_version) {
  return open_library_of_cuda(kCublasLtName, driver_version);
}

// Never destroyed, like those who use it.
const CublasLt& CublasLt::process() {
  static const auto* const library = new CublasLt(open_cublaslt(CudaDriver::version_of_process()));
  return *library;
}

CublasLt::CublasLt(SharedLibrary library) : library_(std::move(library)) {
  if (!library_.is_open()) {
    throw EnvironmentError(
        "there is no cuBLASLt here, which multiplies matrices on GPUs: tried " + library_.tried() +
        "; install the CUDA toolkit (or its part cublas), and name its folder in "
        "TUTTI_CUDA_LIBRARIES if it is none of these");
  }
#define TUTTI_LOAD(name) TUTTI_LOAD_FUNCTION(library_, kCublasLtRemedy, name)
  TUTTI_CUBLASLT_FUNCTIONS(TUTTI_LOAD)
#undef TUTTI_LOAD
}

std::string CublasLt::version() const {
  const std::size_t number = cublasLtGetVersion();  // 130002, before 13: 120804
  return std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) + "." +
         std::to_string(number % 100);
}

void CublasLt::fail(cublasStatus_t status, const char* call, const std::string& more) const {
  throw EnvironmentError(std::string(call) + " failed: " + cublasLtGetStatusName(status) + " (" +
                         cublasLtGetStatusString(status) + ")" + (more.empty() ? "" : "; " + more));
}

}  // namespace tutti::runtime
