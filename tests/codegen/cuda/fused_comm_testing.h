#pragma once

#include <tutti/codegen/cuda/emit_kernel.h>
#include <tutti/codegen/cuda/fused_comm.h>
#include <tutti/ir/support/error.h>
#include <tutti/runtime/cuda/kernel.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tests/support/fake_cuda.h"

namespace tutti::codegen::cuda {

// Code of the double of NVRTC.
inline std::shared_ptr<const runtime::DeviceCode> code_of_doubles(const Source& source,
                                                                  std::string_view target) {
  return std::make_shared<runtime::CudaKernel>(
      test::FakeCuda::image(source.name, source.text, std::string(target)),
      runtime::CudaKernel::Geometry{.grid = source.grid, .block = source.block});
}

// Collectives with what leads and follows them, compiled by the double of NVRTC.
class FusedKernelsOfDoubles final : public runtime::FusedCommKernels {
 public:
  FusedKernelsOfDoubles(std::optional<CommCompanion> leader, std::optional<CommCompanion> follower)
      : leader_(std::move(leader)), follower_(std::move(follower)) {}

  std::shared_ptr<const runtime::DeviceCode> with(const runtime::CommKernel& comm,
                                                  runtime::Companions companions,
                                                  std::string_view target) const override {
    return code_of_doubles(fused_comm_source(comm, companions.leader ? leader_ : std::nullopt,
                                             companions.follower ? follower_ : std::nullopt),
                           target);
  }

 private:
  const std::optional<CommCompanion> leader_;
  const std::optional<CommCompanion> follower_;
};

// Where that can't be compiled.
struct NothingFused final : runtime::FusedCommKernels {
  std::shared_ptr<const runtime::DeviceCode> with(const runtime::CommKernel&, runtime::Companions,
                                                  std::string_view) const override {
    throw EnvironmentError("NVRTC is out of memory");
  }
};

}  // namespace tutti::codegen::cuda
