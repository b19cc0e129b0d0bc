#pragma once

#include <tutti/runtime/cuda/accelerator.h>
#include <tutti/runtime/cuda/kernel.h>

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "tests/runtime/message_of.h"
#include "tests/support/fake_cuda.h"
#include <gmock/gmock.h>

// What tests of the CUDA runtime on the double of the driver share.
namespace tutti::runtime {

class FakeCudaTest : public testing::Test {
 protected:
  // Whoever gets something wrong is told by the double; nothing may be left behind.
  void TearDown() override {
    EXPECT_EQ(fake_.complaints(), "");
    EXPECT_EQ(fake_.left(), "");
  }

  std::unique_ptr<CudaAccelerator> open(int index = 0) {
    return std::make_unique<CudaAccelerator>(fake_.driver(), index);
  }

  test::FakeCuda fake_;
};

// y[i] = x[i] + 1, of 64 values in two blocks.
inline std::shared_ptr<CudaKernel> add_one() {
  const char* const text = R"(extern "C" __global__ void add_one(const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i] + 1.0f;
})";
  return std::make_shared<CudaKernel>(
      test::FakeCuda::image("add_one", text),
      CudaKernel::Geometry{.grid = {2, 1, 1}, .block = {32, 1, 1}, .workspace_bytes = 0});
}

inline std::vector<float> count_up(std::size_t count, float from = 0) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), from);
  return values;
}

inline std::shared_ptr<Buffer> on_device(Accelerator& accelerator,
                                         const std::vector<float>& values) {
  auto buffer = accelerator.memory().allocate(values.size() * sizeof(float));
  accelerator.copy_in(buffer->data(), values.data(), buffer->bytes());
  return buffer;
}

inline std::vector<float> to_host(Accelerator& accelerator, const Buffer& buffer) {
  std::vector<float> values(buffer.bytes() / sizeof(float));
  accelerator.copy_out(values.data(), buffer.data(), buffer.bytes());
  return values;
}

inline void launch(const DeviceCode& code, Accelerator& accelerator,
                   std::initializer_list<Buffer*> buffers) {
  std::vector<void*> places;
  for (Buffer* const buffer : buffers) places.push_back(buffer->data());
  code.launch(accelerator, places.data());
}

}  // namespace tutti::runtime
