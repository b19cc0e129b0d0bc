#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/launch_environment.h>
#include <tutti/runtime/comm/usual_gpu_engine.h>
#include <tutti/runtime/log.h>

#if TUTTI_HAS_CUDA
#include <tutti/runtime/dylib/cuda.h>
#include <tutti/runtime/dylib/nccl.h>
#endif

namespace tutti::runtime {

namespace {

#if TUTTI_HAS_CUDA
// Empty: nothing speaks against it.
std::string why_not_nccl(const LaunchEnvironment& launched) {
  if (launched.local_ranks < 2) return "no launcher says that this host has several ranks";
  try {
    const CudaDriver& driver = CudaDriver::process();
    int gpus = 0;
    driver.check(driver.cuDeviceGetCount(&gpus), "cuDeviceGetCount");
    if (gpus < launched.local_ranks) {
      return std::to_string(launched.local_ranks) + " ranks see " + std::to_string(gpus) +
             " GPUs; where each sees its own alone, TUTTI_BACKENDS=cuda:nccl says so";
    }
    static_cast<void>(Nccl::process());
    return {};
  } catch (const EnvironmentError& error) {
    return error.what();
  }
}
#endif

std::string find_engine() {
#if TUTTI_HAS_CUDA
  const std::string refusal = why_not_nccl(read_launch_environment());
  if (refusal.empty()) return "nccl";
  if (Log::process().takes(LogTopic::gpu)) {
    Log::process().write(LogTopic::gpu, -1,
                         "collectives of GPU values go through the host: " + refusal);
  }
#endif
  return "shm";
}

}  // namespace

const std::string& usual_gpu_engine() {
  static const std::string engine = find_engine();
  return engine;
}

}  // namespace tutti::runtime
