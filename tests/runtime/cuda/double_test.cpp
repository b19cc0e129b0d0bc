#include <array>
#include <stdexcept>
#include <string>

#include "tests/runtime/cuda/testing.h"

// The double of the driver, checked: what it must complain of.
namespace tutti::runtime::double_test {
namespace {

using testing::HasSubstr;

constexpr const char* kWaits = R"(
extern "C" __global__ void wait(const unsigned* there) {
  while (tutti_emulation::load_acquire(there) == 0) tutti_emulation::pause_in_wait();
})";

class CudaDouble : public testing::Test {
 protected:
  void SetUp() override {
    driver().cuDevicePrimaryCtxRetain(&context_, 0);
    driver().cuCtxPushCurrent(context_);
    driver().cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING);
  }

  const CudaDriver& driver() { return fake_.driver(); }
  CUdeviceptr allocate(std::size_t bytes) {
    CUdeviceptr address = 0;
    EXPECT_EQ(driver().cuMemAlloc(&address, bytes), CUDA_SUCCESS);
    return address;
  }

  test::FakeCuda fake_;
  CUcontext context_ = nullptr;
  CUstream stream_ = nullptr;
};

TEST_F(CudaDouble, ComplainsOfHandlesThatWereNeverGiven) {
  EXPECT_EQ(driver().cuStreamSynchronize(reinterpret_cast<CUstream>(&fake_)),
            CUDA_ERROR_INVALID_HANDLE);
  EXPECT_THAT(fake_.complaints(), HasSubstr("a handle that the driver never gave"));
}

TEST_F(CudaDouble, ComplainsOfWhatWasDestroyed) {
  CUevent event = nullptr;
  driver().cuEventCreate(&event, 0);
  driver().cuEventDestroy(event);
  EXPECT_EQ(driver().cuEventRecord(event, stream_), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(driver().cuEventDestroy(event), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(fake_.complaints(),
            "cuEventRecord: event1 was destroyed before\n"
            "cuEventDestroy: event1 was destroyed before\n");
}

TEST_F(CudaDouble, ComplainsOfAnotherContextsHandles) {
  FakeCudaSetup setup = test::FakeCuda::kUsual;
  setup.devices = 2;
  test::FakeCuda fake(setup);
  const CudaDriver& driver = fake.driver();
  CUcontext first = nullptr;
  CUcontext second = nullptr;
  driver.cuDevicePrimaryCtxRetain(&first, 0);
  driver.cuDevicePrimaryCtxRetain(&second, 1);
  driver.cuCtxPushCurrent(first);
  CUstream stream = nullptr;
  driver.cuStreamCreate(&stream, 0);
  driver.cuCtxPushCurrent(second);
  EXPECT_EQ(driver.cuStreamSynchronize(stream), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_THAT(fake.complaints(), HasSubstr("stream1 belongs to another context"));
}

TEST_F(CudaDouble, ComplainsOfMemoryThatIsFreedBeforeItsWork) {
  const CUdeviceptr memory = allocate(100);
  driver().cuMemsetD8Async(memory, 1, 100, stream_);
  driver().cuMemFree(memory);
  EXPECT_EQ(driver().cuStreamSynchronize(stream_), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_THAT(fake_.complaints(),
              HasSubstr("when it ran, cuMemsetD8Async stream1 memory1 1 100: no memory of the "
                        "device at 0x"));
}

TEST_F(CudaDouble, ComplainsOfCopiesBeyondMemory) {
  const CUdeviceptr memory = allocate(100);
  EXPECT_EQ(driver().cuMemsetD8Async(memory + 1, 0, 100, stream_), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver().cuMemcpyDtoDAsync(memory, memory + 8, 16, stream_), CUDA_ERROR_INVALID_VALUE);
  EXPECT_THAT(fake_.complaints(), HasSubstr("no memory of the device at memory1+1, 100 bytes"));
}

TEST_F(CudaDouble, ComplainsOfHostMemoryThatIsNotPinned) {
  const CUdeviceptr memory = allocate(4);
  const float value = 1;
  EXPECT_EQ(driver().cuMemcpyHtoDAsync(memory, &value, 4, stream_), CUDA_ERROR_INVALID_VALUE);
  EXPECT_THAT(fake_.complaints(), HasSubstr("host memory that is not pinned"));
}

TEST_F(CudaDouble, ReadsPinnedMemoryWhenTheStreamRuns) {
  const CUdeviceptr memory = allocate(1);
  void* pinned = nullptr;
  driver().cuMemHostAlloc(&pinned, 2, 0);
  char* const bytes = static_cast<char*>(pinned);
  bytes[0] = 1;
  driver().cuMemcpyHtoDAsync(memory, bytes, 1, stream_);
  bytes[0] = 2;  // too early
  driver().cuMemcpyDtoHAsync(bytes + 1, memory, 1, stream_);
  EXPECT_EQ(static_cast<unsigned char>(bytes[1]), 0xA5);
  driver().cuStreamSynchronize(stream_);
  EXPECT_EQ(bytes[1], 2);
}

TEST_F(CudaDouble, ReachesMemoryThatIsRegisteredAndNoOther) {
  const CUdeviceptr memory = allocate(8);
  std::array<char, 8> own{};
  driver().cuMemsetD8Async(memory, 1, 8, stream_);
  driver().cuMemHostRegister(own.data(), 4, 0);
  EXPECT_EQ(driver().cuMemHostRegister(own.data() + 3, 4, 0),
            CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  EXPECT_EQ(driver().cuMemcpyDtoHAsync(own.data() + 1, memory, 3, stream_), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuMemcpyDtoHAsync(own.data() + 2, memory, 3, stream_),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_THAT(fake_.complaints(), HasSubstr("host memory that is not pinned"));
  EXPECT_EQ(fake_.left(), "context1\nstream1\nmemory1\nregistered1\n");
  driver().cuStreamSynchronize(stream_);
  EXPECT_EQ(own[1], 1);
  driver().cuMemcpyDtoHAsync(own.data(), memory, 1, stream_);
  driver().cuMemHostUnregister(own.data());  // too early
  EXPECT_EQ(driver().cuStreamSynchronize(stream_), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_THAT(fake_.complaints(), HasSubstr("host memory that is not pinned"));
}

TEST_F(CudaDouble, RunsUpToAnEvent) {
  const CUdeviceptr memory = allocate(8);
  CUevent event = nullptr;
  driver().cuEventCreate(&event, 0);
  driver().cuMemsetD8Async(memory, 1, 4, stream_);
  driver().cuEventRecord(event, stream_);
  driver().cuMemsetD8Async(memory, 2, 4, stream_);
  driver().cuEventSynchronize(event);
  EXPECT_EQ(fake_.operations(), "cuMemsetD8Async stream1 memory1 1 4\n");
}

TEST_F(CudaDouble, NamesWhatIsLeft) {
  allocate(100);
  void* pinned = nullptr;
  driver().cuMemHostAlloc(&pinned, 2, 0);
  EXPECT_EQ(fake_.left(), "context1\nstream1\nmemory1\npinned1\n");
  driver().cuDevicePrimaryCtxRelease(0);
  EXPECT_THAT(fake_.complaints(), HasSubstr("the context goes, and in it is still stream1\n"));
}

TEST_F(CudaDouble, ComplainsOfCodeThatIsUnloadedBeforeItsWork) {
  const CUdeviceptr memory = allocate(4);
  const auto image =
      test::FakeCuda::image("f", "extern \"C\" __global__ void f(float* x) { x[0] = 1; }");
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  driver().cuModuleLoadData(&module, image->bytes().data());
  driver().cuModuleGetFunction(&function, module, "f");
  CUdeviceptr argument = memory;
  void* arguments[] = {&argument};
  driver().cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream_, arguments, nullptr);
  driver().cuModuleUnload(module);
  EXPECT_EQ(driver().cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream_, arguments, nullptr),
            CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(driver().cuStreamSynchronize(stream_), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_THAT(fake_.complaints(), HasSubstr("module1 was destroyed before"));
}

TEST_F(CudaDouble, ComplainsOfWhatIsFreedWhileAKernelWaitsForAnotherRank) {
  const CUdeviceptr there = allocate(4);
  const CUdeviceptr other = allocate(4);
  void* pinned = nullptr;
  driver().cuMemHostAlloc(&pinned, 4, 0);
  std::array<char, 4> own{};
  driver().cuMemHostRegister(own.data(), own.size(), 0);
  const auto image = test::FakeCuda::image("wait", kWaits);
  CUmodule module = nullptr;
  CUmodule unused = nullptr;
  CUfunction function = nullptr;
  driver().cuModuleLoadData(&module, image->bytes().data());
  driver().cuModuleLoadData(&unused, image->bytes().data());
  driver().cuModuleGetFunction(&function, module, "wait");
  CUdeviceptr argument = there;
  void* arguments[] = {&argument};
  driver().cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream_, arguments, nullptr);
  driver().cuMemFree(other);
  driver().cuMemFreeHost(pinned);
  driver().cuMemHostUnregister(own.data());
  driver().cuModuleUnload(unused);
  const std::string what =
      "the driver waits here for another rank: cuLaunchKernel stream1 wait 1x1x1 1x1x1 memory1\n";
  EXPECT_EQ(fake_.complaints(), "cuMemFree memory2: " + what + "cuMemFreeHost pinned1: " + what +
                                    "cuMemHostUnregister registered1: " + what +
                                    "cuModuleUnload module2: " + what);
  // It would go on to read memory that is gone with this double.
  CUstream beside = nullptr;
  driver().cuStreamCreate(&beside, CU_STREAM_NON_BLOCKING);
  driver().cuMemsetD8Async(there, 1, 4, beside);
  driver().cuStreamSynchronize(beside);
  EXPECT_EQ(driver().cuStreamSynchronize(stream_), CUDA_SUCCESS);
}

TEST_F(CudaDouble, ComplainsOfMeetingsThatAGraphMayRunAtTheSameTime) {
  const CUdeviceptr words = allocate(4);
  const auto image = test::FakeCuda::image("wait", kWaits);
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  driver().cuModuleLoadData(&module, image->bytes().data());
  driver().cuModuleGetFunction(&function, module, "wait");
  CUdeviceptr argument = words;
  void* arguments[] = {&argument};
  CUgraph child = nullptr;
  driver().cuStreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_RELAXED);
  driver().cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream_, arguments, nullptr);
  driver().cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream_, arguments, nullptr);
  driver().cuStreamEndCapture(stream_, &child);
  for (const std::size_t edges : {1, 0}) {
    CUgraph graph = nullptr;
    CUgraphNode nodes[2] = {};
    CUgraphExec executable = nullptr;
    driver().cuGraphCreate(&graph, 0);
    driver().cuGraphAddChildGraphNode(&nodes[0], graph, nullptr, 0, child);
    driver().cuGraphAddChildGraphNode(&nodes[1], graph, nodes, edges, child);
    driver().cuGraphInstantiate(&executable, graph, 0);
    EXPECT_EQ(fake_.complaints(),
              edges > 0 ? ""
                        : "cuGraphInstantiate graph3 2 nodes: node 1 may run beside an earlier one "
                          "that uses the same communicator or words\n");
  }
}

TEST_F(CudaDouble, FindsRacesOfKernels) {
  const CUdeviceptr memory = allocate(4);
  const auto image = test::FakeCuda::image(
      "race", "extern \"C\" __global__ void race(float* x) { x[0] = threadIdx.x; }");
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  driver().cuModuleLoadData(&module, image->bytes().data());
  driver().cuModuleGetFunction(&function, module, "race");
  CUdeviceptr argument = memory;
  void* arguments[] = {&argument};
  driver().cuLaunchKernel(function, 1, 1, 1, 2, 1, 1, 0, stream_, arguments, nullptr);
  EXPECT_EQ(driver().cuStreamSynchronize(stream_), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_THAT(fake_.complaints(), HasSubstr("race"));
}

TEST_F(CudaDouble, RefusesKernelsOfTooManyParameters) {
  const auto compile = [](int count) {
    std::string list;
    for (int i = 0; i < count; ++i)
      list += (i == 0 ? "float* x" : ", float* x") + std::to_string(i);
    test::FakeCuda::image("many", "extern \"C\" __global__ void many(" + list + ") {}");
  };
  EXPECT_THAT([&] { compile(4096); },
              testing::ThrowsMessage<std::runtime_error>(
                  HasSubstr("Formal parameter space overflowed (32768 bytes required")));
}

using CudaDoubleDeathTest = CudaDouble;

TEST_F(CudaDoubleDeathTest, MemoryOfADeviceIsNotTheHosts) {
  const CUdeviceptr memory = allocate(4);
  EXPECT_DEATH(*reinterpret_cast<volatile float*>(memory) = 1, "");
}

}  // namespace
}  // namespace tutti::runtime::double_test
