#pragma once

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

// A GPU's primary context, one stream in it, and the code that was loaded there. All that an
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

  // Makes the context that of the calling thread; to be called before all else that speaks of it,
  // because the host may have changed threads, and other libraries may have changed contexts.
  void enter() const { driver_.check(driver_.cuCtxSetCurrent(context_), "cuCtxSetCurrent"); }
  // The same, where nothing can be done about a failure: at releases. False if it failed; the
  // driver may be gone already when the process ends.
  bool try_enter() const noexcept { return driver_.cuCtxSetCurrent(context_) == CUDA_SUCCESS; }

  // Until all work that was put on it is done. Enters. Not while this thread records.
  void synchronize();
  // Both, where nothing can be done about a failure: before releases.
  bool try_synchronize() noexcept;
  // Held by who records on it; to wait for the stream meanwhile would spoil the recording.
  std::recursive_mutex& recording() { return recording_; }

  struct Function {
    CUfunction handle = nullptr;
    std::size_t parameters = 0;
  };
  // The function of an image, loaded if this is the first time. Enters. Throws EnvironmentError if
  // it can't be.
  Function function_of(const CudaImage& image);
  // The library's handle for this context, made if this is the first time; one library a process.
  // Enters. Throws EnvironmentError if the library refuses.
  cublasLtHandle_t cublaslt(const CublasLt& library);
  // Unloads an image when the work that may use it is done.
  void forget(std::uint64_t image) noexcept;

 private:
  struct Loaded {
    CUmodule module = nullptr;
    Function function;
  };
  Loaded load(const CudaImage& image) const;

  const CudaDriver& driver_;
  const int index_;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  CUstream stream_ = nullptr;
  std::recursive_mutex recording_;
  std::mutex mutex_;                                  // of what follows
  std::unordered_map<std::uint64_t, Loaded> loaded_;  // by CudaImage::id()
  std::unique_ptr<cublasLtContext, cublasStatus_t (*)(cublasLtHandle_t)> cublaslt_{nullptr,
                                                                                   nullptr};
};

}  // namespace tutti::runtime
