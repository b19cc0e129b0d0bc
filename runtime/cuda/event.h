#pragma once

#include <tutti/runtime/cuda/stream.h>

#include <atomic>
#include <cstdint>
#include <memory>

namespace tutti::runtime {

// An event of the driver, with one owner. Whoever calls it has entered (CudaStream::enter).
class CudaEvent {
 public:
  // Whether the driver is to note when it comes, which costs it something.
  enum class Timing : std::uint8_t { off, on };

  explicit CudaEvent(std::shared_ptr<CudaStream> stream, Timing timing = Timing::off);
  CudaEvent(const CudaEvent&) = delete;
  CudaEvent& operator=(const CudaEvent&) = delete;
  ~CudaEvent();

  // Marks what is on the stream now, its own or another one of the same GPU.
  void record() { record(stream_->handle()); }
  void record(CUstream on);
  // Whether all that was marked last is done; true if nothing was. From any thread, where nobody
  // marks anything meanwhile.
  bool is_done();
  // Returns when it is.
  void wait();
  // What is put on that stream from now on waits for it.
  void hold_up(CUstream later) const;
  // How much later it came than the other; both note that, and have come.
  float milliseconds_after(const CudaEvent& earlier) const;

 private:
  std::shared_ptr<CudaStream> stream_;
  CUevent event_ = nullptr;
  std::atomic<bool> recorded_{false};
};

}  // namespace tutti::runtime
