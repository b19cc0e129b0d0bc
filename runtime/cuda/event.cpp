#include <tutti/runtime/cuda/event.h>

#include <utility>

namespace tutti::runtime {

CudaEvent::CudaEvent(std::shared_ptr<CudaStream> stream, Timing timing)
    : stream_(std::move(stream)) {
  const CudaDriver& driver = stream_->driver();
  const unsigned flags = timing == Timing::on ? CU_EVENT_DEFAULT : CU_EVENT_DISABLE_TIMING;
  driver.check(driver.cuEventCreate(&event_, flags), "cuEventCreate");
}

CudaEvent::~CudaEvent() {
  const CudaStream::Entered entered = stream_->try_enter();
  if (entered) stream_->driver().cuEventDestroy(event_);
}

void CudaEvent::record(CUstream on) {
  const CudaDriver& driver = stream_->driver();
  driver.check(driver.cuEventRecord(event_, on), "cuEventRecord");
  recorded_ = true;
}

bool CudaEvent::is_done() {
  if (!recorded_) return true;
  const CudaDriver& driver = stream_->driver();
  const CUresult result = driver.cuEventQuery(event_);
  if (result == CUDA_ERROR_NOT_READY) return false;
  driver.check(result, "cuEventQuery");
  recorded_ = false;
  return true;
}

void CudaEvent::wait() {
  if (!recorded_) return;
  const CudaDriver& driver = stream_->driver();
  driver.check(driver.cuEventSynchronize(event_), "cuEventSynchronize");
  recorded_ = false;
}

void CudaEvent::hold_up(CUstream later) const {
  if (!recorded_) return;
  const CudaDriver& driver = stream_->driver();
  driver.check(driver.cuStreamWaitEvent(later, event_, 0), "cuStreamWaitEvent");
}

float CudaEvent::milliseconds_after(const CudaEvent& earlier) const {
  const CudaDriver& driver = stream_->driver();
  float out = 0;
  driver.check(driver.cuEventElapsedTime(&out, earlier.event_, event_), "cuEventElapsedTime");
  return out;
}

}  // namespace tutti::runtime
