#include <tutti/runtime/dylib/cuda.h>
#include <tutti/runtime/dylib/load_functions.h>

#include <array>
#include <utility>

namespace tutti::runtime {

namespace {

constexpr std::array<std::string_view, 1> kCudaNames = {"libcuda.so.1"};
constexpr const char* kCudaRemedy = "the driver is too old; Tutti needs that of CUDA 12.4 or later";

}  // namespace

std::string CudaDriver::advice(CUresult result) const {
  switch (result) {
    case CUDA_ERROR_NOT_INITIALIZED:
      if (!is_copy()) return {};
      return "this process was forked off one that used the GPU before, and can't use it: fork "
             "before the first use, or start a program anew (exec)";
    case CUDA_ERROR_SYSTEM_NOT_READY:
      return "GPUs that are joined by NVSwitch wait for their fabric manager; `systemctl status "
             "nvidia-fabricmanager` says whether it runs, and it has to be of the driver's version";
    case CUDA_ERROR_DEVICE_UNAVAILABLE:
      return "another process has the GPU for itself, or nobody may use it; `nvidia-smi -q -d "
             "COMPUTE` shows its compute mode";
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
      return "the driver is older than the NVRTC that compiled the code; `tutti doctor` prints "
             "both versions";
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

std::array<std::string, 2> names_of_cuda_library(std::string_view name, int driver_version) {
  std::array names = {std::string(name) + "13", std::string(name) + "12"};
  if (driver_version > 0 && driver_version < 13000) std::swap(names[0], names[1]);
  return names;
}

SharedLibrary open_library_of_cuda(std::string_view name, int driver_version) {
  const std::array<std::string, 2> texts = names_of_cuda_library(name, driver_version);
  const std::array<std::string_view, 2> names = {texts[0], texts[1]};
  return {cuda_library_folders(), names};
}

SharedLibrary open_cuda_driver() { return {cuda_library_folders(), kCudaNames}; }

// Never destroyed: buffers of static objects go back to it at the end of the process.
const CudaDriver& CudaDriver::process() {
  static const auto* const driver = new CudaDriver(open_cuda_driver());
  return *driver;
}

int CudaDriver::version_of_process() {
  try {
    return process().version();
  } catch (const EnvironmentError&) {
    return 0;
  }
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
  // By the names themselves: the header's macro stands for one of them.
  cuEventElapsedTime =
      reinterpret_cast<decltype(&::cuEventElapsedTime)>(library_.symbol("cuEventElapsedTime_v2"));
  if (cuEventElapsedTime == nullptr) {
    load_function(library_, "cuEventElapsedTime", kCudaRemedy, cuEventElapsedTime);
  }
  check(cuInit(0), "cuInit");
}

int CudaDriver::version() const {
  int number = 0;
  return cuDriverGetVersion(&number) == CUDA_SUCCESS ? number : 0;
}

CUuuid CudaDriver::uuid_of(CUdevice device) const {
  CUuuid out = {};
  check(cuDeviceGetUuid(&out, device), "cuDeviceGetUuid");
  return out;
}

std::string CudaDriver::describe(CUresult result) const {
  const char* name = nullptr;
  const char* text = nullptr;
  // (A copy of another process's driver is not asked.)
  if (is_copy() || cuGetErrorName(result, &name) != CUDA_SUCCESS || name == nullptr) {
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
  if (result == CUDA_ERROR_OUT_OF_MEMORY) throw OutOfMemoryError(what);
  throw EnvironmentError(what);
}

}  // namespace tutti::runtime
