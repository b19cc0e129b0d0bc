#include <tutti/ir/support/error.h>
#include <tutti/runtime/run/gpus.h>

#if TUTTI_HAS_CUDA
#include <tutti/runtime/dylib/cuda.h>
#endif

namespace tutti::runtime {

int count_gpus() {
#if TUTTI_HAS_CUDA
  const CudaDriver& driver = CudaDriver::process();
  int count = 0;
  driver.check(driver.cuDeviceGetCount(&count), "cuDeviceGetCount");
  if (count == 0) driver.fail(CUDA_ERROR_NO_DEVICE, "cuDeviceGetCount");
  return count;
#else
  throw EnvironmentError(
      "this build of Tutti has no CUDA; build it where the headers of the CUDA toolkit are");
#endif
}

Device own_gpu(std::int64_t local_rank) {
  if (local_rank == 0) return Device::cuda(0);  // whether there is one shows when it is used
  return Device::cuda(static_cast<int>(local_rank % count_gpus()));
}

}  // namespace tutti::runtime
