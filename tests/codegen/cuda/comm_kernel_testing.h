#pragma once

#include <tutti/codegen/cuda/comm_kernels.h>
#include <tutti/runtime/cuda/kernel.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tests/support/fake_cuda.h"

namespace tutti::codegen::cuda {

// Code of the double of NVRTC.
inline std::shared_ptr<const runtime::DeviceCode> code_of_doubles(const Source& source,
                                                                  std::string_view target) {
  return std::make_shared<runtime::CudaKernel>(
      test::FakeCuda::image(source.name, source.text, std::string(target)),
      runtime::CudaKernel::Geometry{.grid = source.grid, .block = source.block});
}

// Kernels between GPUs compiled by the double of NVRTC, once a process; processes that are forked
// off later have what was compiled before.
class KernelsOfDoubles final : public runtime::CommKernels {
 public:
  static const KernelsOfDoubles& process() {
    static const KernelsOfDoubles kernels;
    return kernels;
  }

  std::shared_ptr<const runtime::DeviceCode> code(const runtime::CommKernel& kernel,
                                                  std::string_view target) const override {
    return code_of_doubles(comm_kernel_source(kernel), target);
  }

  void compile(std::span<const runtime::CommKernel> kernels) const {
    for (const runtime::CommKernel& kernel : kernels) code(kernel, "sm_90");
  }
};

}  // namespace tutti::codegen::cuda
