#pragma once

#include <tutti/runtime/dylib/cuda.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace tutti::runtime {

class CudaImage;

// The code that is loaded in a GPU's primary context: each image once, however many streams launch
// it, those of ranks that are threads too. Whoever calls it has entered (CudaStream::enter).
// Thread-safe.
class CudaModules {
 public:
  // What the streams of this process that use a GPU have in common, as long as one of them lives.
  static std::shared_ptr<CudaModules> of(const CudaDriver& driver, int gpu);

  explicit CudaModules(const CudaDriver& driver) : driver_(driver) {}
  CudaModules(const CudaModules&) = delete;
  CudaModules& operator=(const CudaModules&) = delete;
  // What is loaded still is the context's.
  ~CudaModules() = default;

  struct Function {
    CUfunction handle = nullptr;
    std::size_t parameters = 0;
  };
  // The function of an image for one more stream, loaded if none has it. Throws EnvironmentError if
  // it can't be.
  Function take(const CudaImage& image);
  // A stream that took it has no work any more that may use it; with the last one it is unloaded.
  void let_go(std::uint64_t image) noexcept;

 private:
  struct Loaded {
    std::size_t users = 0;  // with CudaModules::mutex_
    std::mutex mutex;       // of what follows: an image that loads holds up no other
    CUmodule module = nullptr;
    Function function = {};
  };
  void load(const CudaImage& image, Loaded& loaded) const;

  const CudaDriver& driver_;
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::shared_ptr<Loaded>> loaded_;  // by CudaImage::id()
};

}  // namespace tutti::runtime
