#pragma once

#include <tutti/runtime/dylib/shared_library.h>
#include <tutti/runtime/process_mark.h>

#include <array>
#include <string>
#include <string_view>

#include <cuda.h>

// The functions of the CUDA driver that Tutti calls. Where cuda.h makes a name one of a version of
// the function (cuMemAlloc is cuMemAlloc_v2), the table has that version under that name; so
// `driver.cuMemAlloc(...)` is right everywhere.
#define TUTTI_CUDA_FUNCTIONS(X)         \
  X(cuInit)                             \
  X(cuDriverGetVersion)                 \
  X(cuGetErrorName)                     \
  X(cuGetErrorString)                   \
  X(cuDeviceGetCount)                   \
  X(cuDeviceGet)                        \
  X(cuDeviceGetName)                    \
  X(cuDeviceGetAttribute)               \
  X(cuDeviceTotalMem)                   \
  X(cuDeviceGetUuid)                    \
  X(cuDeviceGetP2PAttribute)            \
  X(cuDeviceCanAccessPeer)              \
  X(cuDevicePrimaryCtxRetain)           \
  X(cuDevicePrimaryCtxRelease)          \
  X(cuCtxPushCurrent)                   \
  X(cuCtxPopCurrent)                    \
  X(cuMemGetInfo)                       \
  X(cuMemGetAddressRange)               \
  X(cuMemAlloc)                         \
  X(cuMemFree)                          \
  X(cuMemGetAllocationGranularity)      \
  X(cuMemCreate)                        \
  X(cuMemRelease)                       \
  X(cuMemAddressReserve)                \
  X(cuMemAddressFree)                   \
  X(cuMemMap)                           \
  X(cuMemUnmap)                         \
  X(cuMemSetAccess)                     \
  X(cuMemRetainAllocationHandle)        \
  X(cuMemExportToShareableHandle)       \
  X(cuMemImportFromShareableHandle)     \
  X(cuMulticastGetGranularity)          \
  X(cuMulticastCreate)                  \
  X(cuMulticastAddDevice)               \
  X(cuMulticastBindMem)                 \
  X(cuMulticastUnbind)                  \
  X(cuMemHostAlloc)                     \
  X(cuMemFreeHost)                      \
  X(cuMemHostRegister)                  \
  X(cuMemHostUnregister)                \
  X(cuMemcpyHtoDAsync)                  \
  X(cuMemcpyDtoHAsync)                  \
  X(cuMemcpyDtoDAsync)                  \
  X(cuMemsetD8Async)                    \
  X(cuStreamCreate)                     \
  X(cuStreamDestroy)                    \
  X(cuStreamSynchronize)                \
  X(cuStreamWaitEvent)                  \
  X(cuStreamBeginCapture)               \
  X(cuStreamEndCapture)                 \
  X(cuEventCreate)                      \
  X(cuEventDestroy)                     \
  X(cuEventRecord)                      \
  X(cuEventQuery)                       \
  X(cuEventSynchronize)                 \
  X(cuModuleLoadData)                   \
  X(cuModuleUnload)                     \
  X(cuModuleGetFunction)                \
  X(cuFuncGetParamInfo)                 \
  X(cuLaunchKernel)                     \
  X(cuGraphCreate)                      \
  X(cuGraphAddChildGraphNode)           \
  X(cuGraphInstantiate)                 \
  X(cuGraphDestroy)                     \
  X(cuGraphExecChildGraphNodeSetParams) \
  X(cuGraphExecDestroy)                 \
  X(cuGraphLaunch)

namespace tutti::runtime {

// The driver of NVIDIA's GPUs. A process that was forked off the one that initialised it can't use
// it, and leaves it alone: CudaStream::enter() throws there, and nothing is given back.
class CudaDriver {
 public:
  // The one of this process, loaded and initialised at the first call. Throws EnvironmentError that
  // says what is missing and what to do.
  static const CudaDriver& process();
  // version() of that one; 0 where there is none that works.
  static int version_of_process();

  // Takes over a library; throws as process() does.
  explicit CudaDriver(SharedLibrary library);

  const SharedLibrary& library() const { return library_; }
  // Whether this process was forked off the one whose driver it is.
  bool is_copy() const { return process_.is_copy(); }

  // What all processes of the host know a GPU by.
  CUuuid uuid_of(CUdevice device) const;

  // "CUDA_ERROR_OUT_OF_MEMORY (out of memory)"
  std::string describe(CUresult result) const;
  // Throws EnvironmentError if a call failed: "cuStreamCreate: CUDA_ERROR_...". `more` is put
  // behind it.
  void check(CUresult result, const char* call, const std::string& more = {}) const {
    if (result != CUDA_SUCCESS) fail(result, call, more);
  }
  [[noreturn]] void fail(CUresult result, const char* call, const std::string& more = {}) const;
  // 12080 is that of CUDA 12.8; 0 if it does not say.
  int version() const;

  // NOLINTBEGIN(readability-identifier-naming): their names are their library's
#define TUTTI_MEMBER(name) decltype(&::name) name = nullptr;
  TUTTI_CUDA_FUNCTIONS(TUTTI_MEMBER)
#undef TUTTI_MEMBER
  // Of two versions: drivers before that of CUDA 12.8 have the first alone.
  decltype(&::cuEventElapsedTime) cuEventElapsedTime = nullptr;
  // NOLINTEND(readability-identifier-naming)

 private:
  // What would be right, of failures that have more than one cause but one remedy.
  std::string advice(CUresult result) const;

  SharedLibrary library_;
  const ProcessMark process_;  // that it was initialised in
};

// The versions of a library that comes with CUDA, "libnvrtc.so.", that Tutti knows, the best first:
// the newest, but for a driver of CUDA 12 (CudaDriver::version; 0: there is none) that of 12, since
// such a driver refuses code of NVRTC 13, and cuBLASLt 13 refuses it.
std::array<std::string, 2> names_of_cuda_library(std::string_view name, int driver_version);
SharedLibrary open_library_of_cuda(std::string_view name, int driver_version);

// The names that the driver's library may have.
SharedLibrary open_cuda_driver();

}  // namespace tutti::runtime
