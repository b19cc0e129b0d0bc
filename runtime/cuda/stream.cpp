#include <tutti/ir/support/error.h>
#include <tutti/runtime/cuda/image.h>
#include <tutti/runtime/cuda/stream.h>

#include <functional>
#include <new>
#include <utility>

namespace tutti::runtime {

namespace {

CUdevice find_device(const CudaDriver& driver, int index) {
  int count = 0;
  driver.check(driver.cuDeviceGetCount(&count), "cuDeviceGetCount");
  if (index >= count) {
    throw EnvironmentError("there is no GPU cuda:" + std::to_string(index) + ": the driver shows " +
                           std::to_string(count) +
                           (count == 0 ? "" : ", the last is cuda:" + std::to_string(count - 1)) +
                           " (CUDA_VISIBLE_DEVICES may hide some)");
  }
  CUdevice device = 0;
  driver.check(driver.cuDeviceGet(&device, index), "cuDeviceGet");
  return device;
}

}  // namespace

CudaStream::CudaStream(const CudaDriver& driver, int index)
    : driver_(driver),
      index_(index),
      device_(find_device(driver, index)),
      modules_(CudaModules::of(driver, index)) {
  const std::string where = "on cuda:" + std::to_string(index);
  driver_.check(driver_.cuDevicePrimaryCtxRetain(&context_, device_), "cuDevicePrimaryCtxRetain",
                where);
  try {
    const Entered entered = enter();
    // Work on the default stream, that of other libraries, does not wait for ours nor ours for it.
    driver_.check(driver_.cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING), "cuStreamCreate",
                  where);
  } catch (...) {
    driver_.cuDevicePrimaryCtxRelease(device_);
    throw;
  }
}

CudaStream::~CudaStream() {
  {
    const Entered entered = try_enter();
    if (entered && try_synchronize()) {
      if (cublaslt_ != nullptr) {
        releases_.release_later([handle = cublaslt_.get(), destroy = cublaslt_.get_deleter()] {
          static_cast<void>(destroy(handle));
        });
        static_cast<void>(cublaslt_.release());
      }
      try {
        for (const auto& [image, function] : functions_) {
          releases_.release_later([modules = modules_, image] { modules->let_go(image); });
        }
      } catch (const std::bad_alloc&) {
        // The others stay for good.
      }
      releases_.end();
      driver_.cuStreamDestroy(stream_);
    }
  }
  static_cast<void>(cublaslt_.release());  // if it is there still, then the driver is gone
  if (!driver_.is_copy()) driver_.cuDevicePrimaryCtxRelease(device_);
}

void CudaStream::synchronize() {
  const Entered entered = enter();  // first: a forked process must not wait for the lock
  const std::scoped_lock lock(recording_);
  driver_.check(driver_.cuStreamSynchronize(stream_), "cuStreamSynchronize");
}

bool CudaStream::try_synchronize() noexcept {
  if (driver_.is_copy() || releases_.waits_for_peers()) return false;
  const std::scoped_lock lock(recording_);
  const Entered entered = try_enter();
  if (!entered) return false;
  driver_.cuStreamSynchronize(stream_);
  return true;
}

CudaStream::Function CudaStream::function_of(const CudaImage& image) {
  const std::scoped_lock lock(mutex_);
  const auto [known, is_new] = functions_.try_emplace(image.id());
  if (!is_new) return known->second;
  try {
    image.taken_by(weak_from_this());
    known->second = modules_->take(image);
  } catch (...) {
    functions_.erase(known);
    throw;
  }
  return known->second;
}

cublasLtHandle_t CudaStream::cublaslt(const CublasLt& library) {
  const std::scoped_lock lock(mutex_);
  if (cublaslt_ == nullptr) {
    cublasLtHandle_t made = nullptr;
    library.check(library.cublasLtCreate(&made), "cublasLtCreate");
    cublaslt_ = {made, library.cublasLtDestroy};
  }
  return cublaslt_.get();
}

void CudaStream::forget(std::uint64_t image) noexcept {
  if (driver_.is_copy()) return;
  try {
    std::function<void()> let_go = [modules = modules_, image] { modules->let_go(image); };
    {
      const std::scoped_lock lock(mutex_);
      if (functions_.erase(image) == 0) return;
    }
    releases_.release(std::move(let_go));
  } catch (const std::bad_alloc&) {
    // It stays until the stream goes.
  }
}

}  // namespace tutti::runtime
