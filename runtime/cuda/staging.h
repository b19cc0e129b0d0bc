#pragma once

#include <tutti/runtime/cuda/event.h>
#include <tutti/runtime/cuda/stream.h>

#include <array>
#include <cstddef>
#include <functional>
#include <memory>

namespace tutti::runtime {

// Host memory that the GPU reads and writes itself, in pieces that are used in turn; copies between
// it and any other host memory are made by the host. So a copy to the GPU returns before the GPU
// has begun, and the host copies one piece while the GPU copies another.
//
// Copies smaller than a piece share it: there is one event a piece, not a copy, and the host waits
// for it only when it comes round to the piece again.
class CudaStaging {
 public:
  // How to wait for an event.
  using Wait = std::function<void(CudaEvent&)>;

  // Takes the memory now. Throws EnvironmentError if there is none.
  CudaStaging(std::shared_ptr<CudaStream> stream, Wait wait);
  CudaStaging(const CudaStaging&) = delete;
  CudaStaging& operator=(const CudaStaging&) = delete;
  ~CudaStaging();

  // As Accelerator has them.
  void copy_in(CUdeviceptr to, const std::byte* from, std::size_t bytes);
  void copy_out(std::byte* to, CUdeviceptr from, std::size_t bytes);

  static constexpr std::size_t kPieceBytes = std::size_t{4} << 20;
  static constexpr std::size_t kPieces = 4;

 private:
  struct Part {
    std::size_t piece = 0;
    std::byte* memory = nullptr;
    std::size_t bytes = 0;
  };
  // Up to so many bytes that nothing on the stream uses any more.
  Part take(std::size_t most);

  std::shared_ptr<CudaStream> stream_;
  const Wait wait_;
  std::byte* memory_ = nullptr;
  std::array<std::unique_ptr<CudaEvent>, kPieces> done_;  // what uses the piece
  std::size_t current_ = 0;
  std::size_t used_ = 0;  // bytes of the current piece
};

}  // namespace tutti::runtime
