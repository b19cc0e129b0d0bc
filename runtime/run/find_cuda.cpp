#include <tutti/runtime/run/find_cuda.h>

#if TUTTI_HAS_CUDA

#include <tutti/ir/support/error.h>
#include <tutti/runtime/cuda/accelerator.h>
#include <tutti/runtime/dylib/cublaslt.h>
#include <tutti/runtime/dylib/nccl.h>
#include <tutti/runtime/dylib/nvrtc.h>

namespace tutti::runtime {

namespace {

// "13.0" of 13000
std::string version_text(int number) {
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

// Fills in what `look` finds, or why it finds nothing.
template <class Found, class Look>
void attempt(Found& found, Look look) {
  try {
    look();
  } catch (const EnvironmentError& error) {
    found.problem = error.what();
  }
}

FoundCuda::Gpu find_gpu(const CudaDriver& driver, int index) {
  FoundCuda::Gpu gpu;
  attempt(gpu, [&] {
    const CudaAccelerator accelerator(driver, index);
    gpu.name = accelerator.name();
    gpu.target = accelerator.target();
    driver.check(driver.cuDeviceTotalMem(&gpu.memory_bytes, accelerator.stream()->device()),
                 "cuDeviceTotalMem");
  });
  return gpu;
}

void find_driver(FoundCuda& found) {
  attempt(found.driver, [&] {
    const CudaDriver& driver = CudaDriver::process();
    found.driver.path = driver.library().path();
    int version = 0;
    driver.check(driver.cuDriverGetVersion(&version), "cuDriverGetVersion");
    found.driver.version = version_text(version);
    int count = 0;
    driver.check(driver.cuDeviceGetCount(&count), "cuDeviceGetCount");
    for (int index = 0; index < count; ++index) found.gpus.push_back(find_gpu(driver, index));
  });
}

}  // namespace

FoundCuda find_cuda() {
  FoundCuda found;
  found.headers = version_text(CUDA_VERSION);
  find_driver(found);
  attempt(found.nvrtc, [&] {
    found.nvrtc.path = Nvrtc::process().library().path();
    found.nvrtc.version = Nvrtc::process().version();
  });
  attempt(found.cublaslt, [&] {
    found.cublaslt.path = CublasLt::process().library().path();
    found.cublaslt.version = CublasLt::process().version();
  });
  attempt(found.nccl, [&] {
    found.nccl.path = Nccl::process().library().path();
    found.nccl.version = Nccl::version_text(Nccl::process().version());
  });
  return found;
}

}  // namespace tutti::runtime

#else

namespace tutti::runtime {

FoundCuda find_cuda() { return {}; }

}  // namespace tutti::runtime

#endif
