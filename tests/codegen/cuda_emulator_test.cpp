// The emulator itself: that it computes what a GPU would, and finds what a GPU would not forgive.

#include <cstring>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "tests/support/cuda/emulated_block.h"
#include "tests/support/cuda/emulator.h"
#include <gmock/gmock.h>
#include <sanitizer/asan_interface.h>
#include <sys/mman.h>

namespace tutti::codegen::cuda_emulator_test {
namespace {

using test::cuda::EmulatedModule;
using test::cuda::Extents;
using test::cuda::RunOptions;
using testing::HasSubstr;

constexpr RunOptions::Order kOrders[] = {
    RunOptions::Order::ascending, RunOptions::Order::descending, RunOptions::Order::shuffled};

// All texts of this page are compiled at once.
enum Text { kScale, kSum, kWarpSum, kNoBarrier, kDivergent, kEarlyExit, kMask, kPartials, kWide };
const std::vector<std::string>& texts() {
  static const std::vector<std::string> all = {
      R"(extern "C" __global__ void __launch_bounds__(64) kernel(const float* x, float* y) {
           const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
           if (i < 100) y[i] = 2.0f * x[i];
         })",
      R"(extern "C" __global__ void kernel(const int* x, int* y) {
           __shared__ int part[64];
           part[threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x];
           for (int step = 32; step > 0; step /= 2) {
             __syncthreads();
             if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
           }
           if (threadIdx.x == 0) y[blockIdx.x] = part[0];
         })",
      R"(extern "C" __global__ void kernel(const double* x, double* y, unsigned* votes) {
           double v = x[threadIdx.x];
           for (int step = 4; step > 0; step /= 2) v += __shfl_xor_sync(0xFFFFFFFFu, v, step, 8);
           y[threadIdx.x] = v;
           const unsigned vote = __ballot_sync(0xFFFFFFFFu, threadIdx.x % 3 == 0);
           if (threadIdx.x == 0) *votes = vote;
         })",
      R"(extern "C" __global__ void kernel(const int* x, int* y) {
           __shared__ int turned[64];
           turned[63 - threadIdx.x] = x[threadIdx.x];
           y[threadIdx.x] = turned[threadIdx.x];
         })",
      R"(extern "C" __global__ void kernel(const int* x, int* y) {
           if (threadIdx.x < 32) {
             __syncthreads();
           } else {
             __syncthreads();
           }
           y[threadIdx.x] = x[threadIdx.x];
         })",
      R"(extern "C" __global__ void kernel(const int* x, int* y) {
           if (threadIdx.x == 5) return;
           __syncthreads();
           y[threadIdx.x] = x[threadIdx.x];
         })",
      R"(extern "C" __global__ void kernel(const int* x, int* y) {
           y[threadIdx.x] = x[threadIdx.x];
           if (threadIdx.x % 2 == 0) y[threadIdx.x] = __shfl_sync(0xFFFFFFFFu, x[0], 0);
         })",
      // Blocks hand partial sums to the last of them; `fences` says where fences stand.
      R"(extern "C" __global__ void kernel(const int* x, int* y, int* parts, unsigned* counter,
                                           const int* fences) {
           if (*fences & 1) __threadfence();
           if (threadIdx.x == 5) parts[blockIdx.x] = x[blockIdx.x];
           if (*fences & 2) __threadfence();
           __syncthreads();
           if ((*fences & 4) && threadIdx.x == 0) __threadfence();
           __shared__ bool last;
           if (threadIdx.x == 0) last = atomicAdd(counter, 1u) == gridDim.x - 1;
           if ((*fences & 8) && threadIdx.x == 0) __threadfence();
           __syncthreads();
           if (!last) return;
           if (*fences & 16) __threadfence();
           if (threadIdx.x != 7) return;
           int sum = 0;
           for (int i = 0; i < gridDim.x; ++i) sum += parts[i];
           *y = sum;
           *counter = 0;
         })",
      R"(struct alignas(16) Four { int at[4]; };
         extern "C" __global__ void kernel(const int* x, int* y, const int* offset) {
           *reinterpret_cast<Four*>(y) = *reinterpret_cast<const Four*>(x + *offset);
         })"};
  return all;
}

class CudaEmulator : public testing::Test {
 protected:
  static void SetUpTestSuite() { module_ = new EmulatedModule(texts()); }
  static void TearDownTestSuite() {
    delete module_;
    module_ = nullptr;
  }

  static void run(Text text, const Extents& grid, const Extents& block, std::vector<void*> buffers,
                  RunOptions options = {}) {
    std::vector<void*> arguments;
    for (void*& buffer : buffers) arguments.push_back(&buffer);
    module_->launch(text, "kernel", grid, block, arguments.data(), options);
  }

  // What an integer kernel of one block throws.
  static std::string failure_of(Text text, RunOptions options = {}) {
    std::vector<int> x(64, 1);
    std::vector<int> y(64);
    try {
      run(text, {1, 1, 1}, {64, 1, 1}, {x.data(), y.data()}, options);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  }

  static EmulatedModule* module_;
};
EmulatedModule* CudaEmulator::module_ = nullptr;

TEST_F(CudaEmulator, RunsEveryThread) {
  std::vector<float> x(100);
  std::iota(x.begin(), x.end(), 0.0F);
  std::vector<float> y(100);
  run(kScale, {2, 1, 1}, {64, 1, 1}, {x.data(), y.data()});
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(y[i], 2 * x[i]);
}

TEST_F(CudaEmulator, ThreadsMeetAtBarriersWhateverTheirOrder) {
  std::vector<int> x(128);
  std::iota(x.begin(), x.end(), 0);
  for (const RunOptions::Order order : kOrders) {
    std::vector<int> y(2);
    run(kSum, {2, 1, 1}, {64, 1, 1}, {x.data(), y.data()}, {.order = order, .seed = 7});
    EXPECT_THAT(y, testing::ElementsAre(2016, 6112));
  }
}

TEST_F(CudaEmulator, LanesExchangeValues) {
  std::vector<double> x(32);
  std::iota(x.begin(), x.end(), 0.0);
  std::vector<double> y(32);
  unsigned votes = 0;
  run(kWarpSum, {1, 1, 1}, {32, 1, 1}, {x.data(), y.data(), &votes});
  for (std::size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(y[i], static_cast<double>(i / 8 * 64 + 28));
  }
  EXPECT_EQ(votes, 0x49249249U);
}

TEST_F(CudaEmulator, FindsAMissingBarrier) {
  for (const RunOptions::Order order : kOrders) {
    EXPECT_THAT(failure_of(kNoBarrier, {.order = order}), HasSubstr("a race in shared memory"));
  }
}

TEST_F(CudaEmulator, FindsDivergentBarriers) {
  EXPECT_THAT(failure_of(kDivergent),
              HasSubstr("thread 0 of block 0 waits at line 3, thread 32 of block 0 at line 5"));
  EXPECT_THAT(failure_of(kEarlyExit), HasSubstr("waits at line 3, while thread 5 of block 0 has"));
}

TEST_F(CudaEmulator, FindsMasksThatNameOtherLanes) {
  EXPECT_THAT(failure_of(kMask), HasSubstr("names lane 1, which does not take part"));
}

// It is behind what is passed on, and in front of what is read, in one of the two threads.
TEST_F(CudaEmulator, FindsPartialResultsThatWerePassedOnWithoutAFence) {
  std::vector<int> x(8);
  std::iota(x.begin(), x.end(), 1);
  for (const RunOptions::Order order : kOrders) {
    std::vector<int> parts(8);
    int y = 0;
    unsigned counter = 0;
    int fences = 0;
    const auto launch = [&] {
      counter = 0;
      run(kPartials, {8, 1, 1}, {64, 1, 1}, {x.data(), &y, parts.data(), &counter, &fences},
          {.order = order});
    };
    for (fences = 0; fences < 32; ++fences) {
      const bool released = (fences & 6) != 0;
      const bool acquired = (fences & 24) != 0;
      if (released && acquired) {
        y = 0;
        launch();
        EXPECT_EQ(y, 36) << fences;
        EXPECT_EQ(counter, 0U);
      } else {
        EXPECT_THAT(launch, testing::ThrowsMessage<std::runtime_error>(
                                HasSubstr("a race in global memory")))
            << fences;
      }
    }
  }
}

TEST_F(CudaEmulator, FindsMisalignedAccesses) {
  alignas(16) int x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  alignas(16) int y[4] = {};
  int offset = 4;
  const auto launch = [&] { run(kWide, {1, 1, 1}, {1, 1, 1}, {x, y, &offset}); };
  launch();
  EXPECT_EQ(y[3], 8);
  offset = 1;
  EXPECT_THAT(launch, testing::ThrowsMessage<std::runtime_error>(
                          HasSubstr("has to be aligned to 16 bytes")));
}

TEST_F(CudaEmulator, RefusesLaunchesThatAGpuRefuses) {
  std::vector<float> x(100);
  EXPECT_THROW(run(kScale, {1, 1, 1}, {2048, 1, 1}, {x.data(), x.data()}), std::runtime_error);
  EXPECT_THROW(run(kScale, {1, 70000, 1}, {1, 1, 1}, {x.data(), x.data()}), std::runtime_error);
}

TEST_F(CudaEmulator, RefusesMoreStaticSharedMemoryThanAGpuGives) {
  const auto compile = [](int floats) {
    EmulatedModule({"extern \"C\" __global__ void kernel(float* x) {\n  __shared__ float all[" +
                    std::to_string(floats) +
                    "];\n  all[threadIdx.x] = x[threadIdx.x];\n  __syncthreads();\n"
                    "  x[threadIdx.x] = all[31 - threadIdx.x];\n}"});
  };
  compile(12288);
  EXPECT_THAT([&] { compile(12800); }, testing::ThrowsMessage<std::runtime_error>(
                                           HasSubstr("too much static shared memory")));
}

// Only the address sanitizer's build can fail this one.
TEST(CudaEmulatorStacks, LeaveNoTraceAtTheirAddresses) {
  constexpr std::size_t kBytes = 4096;
  void* address = nullptr;
  {
    test::cuda::Stacks stacks;
    stacks.reserve(1);
    address = static_cast<std::byte*>(stacks.top(0)) - kBytes;
    ASAN_POISON_MEMORY_REGION(address, kBytes);  // as the frames of a fiber do
  }
  void* const again = mmap(address, kBytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  ASSERT_EQ(again, address);
  std::memset(again, 1, kBytes);
  munmap(again, kBytes);
}

TEST_F(CudaEmulator, SaysWhatTheCompilerSays) {
  EXPECT_THAT([] { EmulatedModule({"extern \"C\" __global__ void kernel() { oops; }"}); },
              testing::ThrowsMessage<std::runtime_error>(HasSubstr("oops")));
}

}  // namespace
}  // namespace tutti::codegen::cuda_emulator_test
