#include <tutti/runtime/run/shared_gpu.h>

#if TUTTI_HAS_CUDA
#include <tutti/ir/support/error.h>
#include <tutti/ir/support/hash.h>
#include <tutti/runtime/comm/launch_environment.h>
#include <tutti/runtime/dylib/cuda.h>
#include <tutti/runtime/log.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#endif

namespace tutti::runtime {

#if TUTTI_HAS_CUDA

namespace {

// Never 0.
std::uint64_t number_of_gpu(const CudaDriver& driver, int index) {
  CUdevice device = 0;
  driver.check(driver.cuDeviceGet(&device, index), "cuDeviceGet");
  const CUuuid uuid = driver.uuid_of(device);
  Hasher hasher;
  hasher.add(std::string_view(static_cast<const char*>(uuid.bytes), sizeof(uuid.bytes)));
  return hasher.finish().low | 1;
}

bool is_meant() {
  const char* const enabled = std::getenv("NCCL_MULTI_RANK_GPU_ENABLE");
  return enabled != nullptr && std::string_view(enabled) == "1";
}

void look_for_sharing(Backend& backend, Device device) {
  const CudaDriver& driver = CudaDriver::process();
  int gpus = 0;
  driver.check(driver.cuDeviceGetCount(&gpus), "cuDeviceGetCount");
  if (gpus < read_launch_environment().local_ranks) return;  // there is nothing better
  const std::int64_t other = backend.other_user_of_gpu(number_of_gpu(driver, device.index));
  if (other < 0) return;
  warn("rank " + std::to_string(backend.rank()) + " and rank " + std::to_string(other) +
       " both use " + device.text() + ", and there are " + std::to_string(gpus) +
       " GPUs: world.gpu() is the rank's own, Device::cuda() the first one of every process "
       "(NCCL_MULTI_RANK_GPU_ENABLE=1 says that ranks are to share one)");
}

}  // namespace

void warn_of_shared_gpu(Backend& backend, Device device) {
  if (backend.ranks() == 1 || is_meant()) return;
  try {
    look_for_sharing(backend, device);
  } catch (const EnvironmentError&) {
    // Whoever computes there is told what is wrong with the GPU.
  }
}

#else

void warn_of_shared_gpu(Backend& /*backend*/, Device /*device*/) {}

#endif

}  // namespace tutti::runtime
