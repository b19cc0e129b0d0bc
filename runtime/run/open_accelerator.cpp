#include <tutti/ir/support/error.h>
#include <tutti/runtime/run/open_accelerator.h>

#if TUTTI_HAS_CUDA
#include <tutti/runtime/cuda/accelerator.h>
#include <tutti/runtime/settings.h>
#endif

namespace tutti::runtime {

std::unique_ptr<Accelerator> open_accelerator(Device device) {
  if (device.is_cpu()) throw InternalError("the host is no accelerator");
#if TUTTI_HAS_CUDA
  const auto cache = Settings::process().bytes("TUTTI_GPU_CACHE");
  return std::make_unique<CudaAccelerator>(
      CudaDriver::process(), device.index,
      cache ? static_cast<std::size_t>(*cache) : CudaAccelerator::kKeepsAll);
#else
  throw EnvironmentError("this build of Tutti has no CUDA, so " + device.text() +
                         " can't be used; build it where the headers of the CUDA toolkit are");
#endif
}

}  // namespace tutti::runtime
