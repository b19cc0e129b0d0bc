#pragma once

#include <tutti/runtime/accelerator.h>
#include <tutti/runtime/cuda/event.h>
#include <tutti/runtime/cuda/stream.h>

#include <cstdint>
#include <memory>
#include <optional>

namespace tutti::runtime {

// A moment of a GPU's own stream or of its lane.
class CudaMoment final : public Accelerator::Moment {
 public:
  // Not marked yet.
  explicit CudaMoment(std::shared_ptr<CudaStream> stream);

  void mark() override { mark(stream_->handle()); }
  void mark(CUstream on);
  bool has_come() override;
  std::int64_t nanoseconds_after(const Moment& earlier) const override;

 private:
  const std::shared_ptr<CudaStream> stream_;
  std::optional<CudaEvent> event_;
};

}  // namespace tutti::runtime
