#include <tutti/runtime/cuda/staging.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace tutti::runtime {

namespace {

constexpr std::size_t kStagingAlignment = 256;

}  // namespace

CudaStaging::CudaStaging(std::shared_ptr<CudaStream> stream, Wait wait)
    : stream_(std::move(stream)), wait_(std::move(wait)) {
  for (auto& done : done_) done = std::make_unique<CudaEvent>(stream_);
  const CudaDriver& driver = stream_->driver();
  void* memory = nullptr;
  driver.check(driver.cuMemHostAlloc(&memory, kPieces * kPieceBytes, 0), "cuMemHostAlloc",
               "asked for " + std::to_string(kPieces * kPieceBytes) +
                   " bytes of host memory that the GPU can reach; `ulimit -l` or the container may "
                   "limit it");
  memory_ = static_cast<std::byte*>(memory);
}

CudaStaging::~CudaStaging() {
  stream_->releases().release(
      [&driver = stream_->driver(), memory = memory_] { driver.cuMemFreeHost(memory); });
}

CudaStaging::Part CudaStaging::take(std::size_t most) {
  if (used_ == kPieceBytes) {
    done_[current_]->record();
    current_ = (current_ + 1) % kPieces;
    used_ = 0;
    wait_(*done_[current_]);
  }
  const Part part = {.piece = current_,
                     .memory = memory_ + current_ * kPieceBytes + used_,
                     .bytes = std::min(most, kPieceBytes - used_)};
  used_ += (part.bytes + kStagingAlignment - 1) / kStagingAlignment * kStagingAlignment;
  return part;
}

void CudaStaging::copy_in(CUdeviceptr to, const std::byte* from, std::size_t bytes) {
  const CudaDriver& driver = stream_->driver();
  while (bytes > 0) {
    const Part part = take(bytes);
    std::memcpy(part.memory, from, part.bytes);
    driver.check(driver.cuMemcpyHtoDAsync(to, part.memory, part.bytes, stream_->handle()),
                 "cuMemcpyHtoDAsync");
    to += part.bytes;
    from += part.bytes;
    bytes -= part.bytes;
  }
}

void CudaStaging::copy_out(std::byte* to, CUdeviceptr from, std::size_t bytes) {
  if (bytes == 0) return;  // without a wait: earlier copies may be under way
  const CudaDriver& driver = stream_->driver();
  Part underway;  // on the stream, not yet in `to`
  const auto finish = [&] {
    if (underway.bytes == 0) return;
    wait_(*done_[underway.piece]);
    std::memcpy(to, underway.memory, underway.bytes);
    to += underway.bytes;
  };
  while (bytes > 0) {
    const Part part = take(bytes);
    driver.check(driver.cuMemcpyDtoHAsync(part.memory, from, part.bytes, stream_->handle()),
                 "cuMemcpyDtoHAsync");
    done_[part.piece]->record();
    finish();
    underway = part;
    from += part.bytes;
    bytes -= part.bytes;
  }
  finish();
  used_ = 0;  // whatever was copied before is done, too
}

}  // namespace tutti::runtime
