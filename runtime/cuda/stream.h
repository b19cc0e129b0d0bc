#pragma once

#include <tutti/runtime/cuda/modules.h>
#include <tutti/runtime/cuda/releases.h>
#include <tutti/runtime/dylib/cublaslt.h>
#include <tutti/runtime/dylib/cuda.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace tutti::runtime {

class CudaImage;

// A GPU's primary context, one stream in it, and the code that is launched there. All that an
// accelerator hands out holds it, so that it is the last to go. Thread-safe.
class CudaStream : public std::enable_shared_from_this<CudaStream> {
 public:
  // `index` counts the GPUs that the driver shows. Throws EnvironmentError if there is none of that
  // index, or if the driver refuses it.
  CudaStream(const CudaDriver& driver, int index);
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;
  ~CudaStream();

  const CudaDriver& driver() const { return driver_; }
  CUdevice device() const { return device_; }
  int index() const { return index_; }
  CUstream handle() const { return stream_; }

  // While one lives, the context is that of the calling thread; whoever speaks of it needs one,
  // because the host may have changed threads. Then the thread has the context that it had before,
  // which may be another library's.
  class Entered {
   public:
    Entered(const Entered&) = delete;
    Entered& operator=(const Entered&) = delete;
    ~Entered() {
      CUcontext context = nullptr;
      if (driver_ != nullptr && !driver_->is_copy()) driver_->cuCtxPopCurrent(&context);
    }
    explicit operator bool() const { return driver_ != nullptr; }

   private:
    friend class CudaStream;
    explicit Entered(const CudaDriver* driver) : driver_(driver) {}

    const CudaDriver* driver_;  // null: it did not succeed
  };
  [[nodiscard]] Entered enter() const {
    driver_.check(push(), "cuCtxPushCurrent");
    return Entered(&driver_);
  }
  // The same, where nothing can be done about a failure: at releases. False if it failed; the
  // driver may be gone already when the process ends, or be the one of another process.
  [[nodiscard]] Entered try_enter() const noexcept {
    return Entered(push() == CUDA_SUCCESS ? &driver_ : nullptr);
  }

  // Until all work that was put on it is done. Enters. Not while this thread records.
  void synchronize();
  // Both, where nothing can be done about a failure: before releases. False where it failed, and
  // where that would be to wait for other ranks.
  bool try_synchronize() noexcept;

  // What is given back to the driver, and the work of other ranks that puts it off.
  CudaReleases& releases() { return releases_; }

  // Held by who records on it; to wait for the stream meanwhile would spoil the recording.
  std::recursive_mutex& recording() { return recording_; }
  // Whether somebody does, for who holds that.
  bool records() const { return records_; }
  void set_records(bool records) { records_ = records; }

  using Function = CudaModules::Function;
  // The function of an image, loaded if no stream of the GPU has it. Throws EnvironmentError if it
  // can't be. Whoever calls this, or the next, has entered.
  Function function_of(const CudaImage& image);
  // The library's handle for this context, made if this is the first time; one library a process.
  // Throws EnvironmentError if the library refuses.
  cublasLtHandle_t cublaslt(const CublasLt& library);
  // Lets go of an image when the work that may use it is done.
  void forget(std::uint64_t image) noexcept;

 private:
  CUresult push() const {
    return driver_.is_copy() ? CUDA_ERROR_NOT_INITIALIZED : driver_.cuCtxPushCurrent(context_);
  }

  const CudaDriver& driver_;
  const int index_;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  CUstream stream_ = nullptr;
  std::recursive_mutex recording_;
  bool records_ = false;
  CudaReleases releases_{*this};
  const std::shared_ptr<CudaModules> modules_;
  std::mutex mutex_;                                       // of what follows
  std::unordered_map<std::uint64_t, Function> functions_;  // by CudaImage::id()
  std::unique_ptr<cublasLtContext, cublasStatus_t (*)(cublasLtHandle_t)> cublaslt_{nullptr,
                                                                                   nullptr};
};

}  // namespace tutti::runtime
