#include <tutti/runtime/dylib/cuda.h>
#include <tutti/runtime/dylib/load_functions.h>

#include <array>
#include <utility>

namespace tutti::runtime {

namespace {

constexpr std::array<std::string_view, 1> kCudaNames = {"libcuda.so.1"};
constexpr const char* kCudaRemedy = "the driver is too old; Tutti needs that of CUDA 12.4 or later";

// What would be right, of failures that have more than one cause but one remedy.
std::string advice(CUresult result) {
  switch (result) {
    case CUDA_ERROR_NO_DEVICE:
      return "the driver is there but sees no GPU; CUDA_VISIBLE_DEVICES may hide it, and a "
             "container has to be given one";
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
      return "the library and the kernel module of the driver are of different versions; restart "
             "the machine after an update";
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_INVALID_IMAGE:
      return "the driver may be older than the NVRTC that compiled the code; `tutti doctor` prints "
             "both versions";
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
      return "code that was launched before touched memory that it may not; the GPU can't be used "
             "any more by this process, and `compute-sanitizer` says which kernel it was";
    default:
      return {};
  }
}

}  // namespace

SharedLibrary open_cuda_driver() { return {cuda_library_folders(), kCudaNames}; }

// Never destroyed: buffers of static objects go back to it at the end of the process.
const CudaDriver& CudaDriver::process() {
  static const auto* const driver = new CudaDriver(open_cuda_driver());
  return *driver;
}

CudaDriver::CudaDriver(SharedLibrary library) : library_(std::move(library)) {
  if (!library_.is_open()) {
    throw EnvironmentError("there is no NVIDIA driver for GPUs here: tried " + library_.tried() +
                           "; install the driver, or in a container let it in (`docker run --gpus "
                           "all`)");
  }
#define TUTTI_LOAD(name) TUTTI_LOAD_FUNCTION(library_, kCudaRemedy, name)
  TUTTI_CUDA_FUNCTIONS(TUTTI_LOAD)
#undef TUTTI_LOAD
  check(cuInit(0), "cuInit");
}

std::string CudaDriver::describe(CUresult result) const {
  const char* name = nullptr;
  const char* text = nullptr;
  if (cuGetErrorName(result, &name) != CUDA_SUCCESS || name == nullptr) {
    return "error " + std::to_string(static_cast<int>(result));
  }
  if (cuGetErrorString(result, &text) != CUDA_SUCCESS || text == nullptr) return name;
  return std::string(name) + " (" + text + ")";
}

void CudaDriver::fail(CUresult result, const char* call, const std::string& more) const {
  std::string what = std::string(call) + " failed: " + describe(result);
  for (const std::string& part : {more, advice(result)}) {
    if (!part.empty()) what += "; " + part;
  }
  throw EnvironmentError(what);
}

}  // namespace tutti::runtime
