#pragma once

#include <tutti/runtime/cuda/image.h>
#include <tutti/runtime/dylib/cuda.h>

#include <memory>
#include <string>

#include "tests/fake_cuda/driver/control.h"

namespace tutti::test {

// The double of the CUDA driver (tests/fake_cuda/), as new. There is one a process.
class FakeCuda {
 public:
  // One H100 with 64 MiB of memory; all is checked and logged.
  static constexpr FakeCudaSetup kUsual = {.devices = 1,
                                           .capability = 90,
                                           .memory_bytes = std::size_t{64} << 20,
                                           .find_races = true,
                                           .keep_log = true};

  explicit FakeCuda(const FakeCudaSetup& setup = kUsual);

  // Loaded at the first call, and initialised.
  const runtime::CudaDriver& driver();

  // See control.h.
  void fail(const char* function, int nth, CUresult result) const;
  void deinitialize() const;
  void isolate() const;
  std::string calls() const;
  std::string operations() const;
  std::string complaints() const;
  std::string left() const;

  // Where the doubles are.
  static std::string folder();
  // A kernel compiled by the double of NVRTC, once a process.
  static std::shared_ptr<const runtime::CudaImage> image(const std::string& name,
                                                         const std::string& text,
                                                         const std::string& target = "sm_90");

 private:
  template <class Function>
  Function* control(const char* name) const;

  runtime::SharedLibrary library_;
  std::unique_ptr<runtime::CudaDriver> driver_;
};

}  // namespace tutti::test
