#pragma once

#include <tutti/runtime/accelerator.h>
#include <tutti/runtime/cuda/image.h>
#include <tutti/runtime/cuda/stream.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace tutti::runtime {

// A compiled kernel with the shape of its launch. Its parameters are pointers: one for each buffer
// and, where workspace_bytes > 0, one to a workspace of that size behind them. It is loaded at
// its first launch on a GPU, and unloaded when the kernel goes and no recording uses it.
class CudaKernel final : public DeviceCode {
 public:
  struct Geometry {
    std::array<std::uint32_t, 3> grid = {1, 1, 1};   // blocks
    std::array<std::uint32_t, 3> block = {1, 1, 1};  // threads
    std::size_t workspace_bytes = 0;
  };

  CudaKernel(std::shared_ptr<const CudaImage> image, const Geometry& geometry);

  // Throws EnvironmentError, with the kernel's name, when it can't be loaded or launched.
  void launch(Accelerator& accelerator, void* const* buffers) const override;
  // The same on another stream of the same GPU, with so many blocks along x, and with all of the
  // kernel's parameters, each of 8 bytes. While a recording is made, of code that has been launched
  // before, and that whoever records keeps. Whoever calls it has entered.
  void launch_on(CUstream stream, CudaStream& code, std::uint32_t blocks,
                 void* const* parameters) const;
  // With the blocks of its own.
  void launch_on(CUstream stream, CudaStream& code, void* const* parameters) const {
    launch_on(stream, code, geometry_.grid[0], parameters);
  }

 private:
  void put(const CudaStream& code, CUfunction function, CUstream stream, std::uint32_t blocks,
           void** places) const;

  const std::shared_ptr<const CudaImage> image_;
  const Geometry geometry_;
};

}  // namespace tutti::runtime
