#include <tutti/runtime/cuda/moment.h>

#include <cmath>
#include <utility>

namespace tutti::runtime {

CudaMoment::CudaMoment(std::shared_ptr<CudaStream> stream) : stream_(std::move(stream)) {
  const CudaStream::Entered entered = stream_->enter();
  event_.emplace(stream_, CudaEvent::Timing::on);
}

void CudaMoment::mark(CUstream on) {
  const CudaStream::Entered entered = stream_->enter();
  event_->record(on);
}

bool CudaMoment::has_come() {
  const CudaStream::Entered entered = stream_->enter();
  return event_->is_done();
}

std::int64_t CudaMoment::nanoseconds_after(const Moment& earlier) const {
  const CudaStream::Entered entered = stream_->enter();
  constexpr double kNanosecondsPerMillisecond = 1e6;
  const float milliseconds =
      event_->milliseconds_after(*static_cast<const CudaMoment&>(earlier).event_);
  return std::llround(static_cast<double>(milliseconds) * kNanosecondsPerMillisecond);
}

}  // namespace tutti::runtime
