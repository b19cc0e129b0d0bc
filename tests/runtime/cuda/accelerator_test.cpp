#include <tutti/ir/support/error.h>

#include <array>
#include <cstring>
#include <thread>

#include "tests/runtime/cuda/testing.h"

namespace tutti::runtime::accelerator_test {
namespace {

using testing::HasSubstr;
using testing::Not;

class CudaAcceleratorTest : public FakeCudaTest {};

TEST_F(CudaAcceleratorTest, SaysWhatItIs) {
  const auto gpu = open();
  EXPECT_EQ(gpu->name(), "Fake GPU 0");
  EXPECT_EQ(gpu->target(), "sm_90");
  EXPECT_EQ(gpu->device(), Device::cuda(0));
}

TEST_F(CudaAcceleratorTest, AGpuThatIsNotThereIsNamedWithThoseThatAre) {
  EXPECT_THAT(message_of<EnvironmentError>([&] { open(3); }),
              HasSubstr("there is no GPU cuda:3: the driver shows 1, the last is cuda:0"));
}

TEST_F(CudaAcceleratorTest, ADriverWithoutAGpuSaysSo) {
  FakeCudaSetup setup = test::FakeCuda::kUsual;
  setup.devices = 0;
  test::FakeCuda none(setup);
  EXPECT_THAT(message_of<EnvironmentError>([&] { none.driver(); }),
              HasSubstr("cuInit failed: CUDA_ERROR_NO_DEVICE (no CUDA-capable device is detected); "
                        "the driver is there but sees no GPU"));
}

TEST_F(CudaAcceleratorTest, TheSourceOfACopyMayChangeBeforeTheGpuHasRun) {
  const auto gpu = open();
  auto values = count_up(64);
  const auto buffer = on_device(*gpu, values);
  EXPECT_EQ(fake_.operations(), "");
  std::fill(values.begin(), values.end(), -1.0F);
  EXPECT_EQ(to_host(*gpu, *buffer), count_up(64));
}

TEST_F(CudaAcceleratorTest, CopyOutWaitsForItsOwnEventOnly) {
  const auto gpu = open();
  const auto buffer = on_device(*gpu, count_up(64));
  fake_.calls();
  to_host(*gpu, *buffer);
  EXPECT_EQ(fake_.calls(),
            "cuMemcpyDtoHAsync stream1 pinned1+256 memory1 256\n"
            "cuEventRecord event1 stream1\n"
            "cuEventSynchronize event1\n");
}

TEST_F(CudaAcceleratorTest, SmallCopiesShareAPieceOfPinnedMemoryWithoutEvents) {
  const auto gpu = open();
  const auto buffer = gpu->memory().allocate(1000);
  const std::array<float, 3> values = {1, 2, 3};
  gpu->copy_in(buffer->data(), values.data(), 12);
  fake_.calls();
  gpu->copy_in(buffer->data() + 12, values.data(), 12);
  gpu->copy_in(buffer->data() + 24, values.data(), 12);
  EXPECT_EQ(fake_.calls(),
            "cuMemcpyHtoDAsync stream1 memory1+12 pinned1+256 12\n"
            "cuMemcpyHtoDAsync stream1 memory1+24 pinned1+512 12\n");
}

TEST_F(CudaAcceleratorTest, APieceIsUsedAgainWhenItsEventHasCome) {
  const auto gpu = open();
  const std::size_t pieces = 6;
  std::vector<std::byte> values(pieces * CudaStaging::kPieceBytes + 5);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::byte>(i * i >> 8);
  const auto buffer = gpu->memory().allocate(values.size());
  fake_.calls();
  gpu->copy_in(buffer->data(), values.data(), values.size());
  std::string waits;
  std::istringstream calls(fake_.calls());
  for (std::string line; std::getline(calls, line);) {
    if (line.starts_with("cuEventSynchronize")) waits += line + "\n";
  }
  // Four pieces are full before the first is waited for.
  EXPECT_EQ(waits,
            "cuEventSynchronize event1\ncuEventSynchronize event2\ncuEventSynchronize event3\n");
  std::vector<std::byte> back(values.size());
  gpu->copy_out(back.data(), buffer->data(), back.size());
  EXPECT_EQ(std::memcmp(back.data(), values.data(), values.size()), 0);
}

TEST_F(CudaAcceleratorTest, NoBytesAreNoCall) {
  const auto gpu = open();
  const auto buffer = gpu->memory().allocate(0);
  fake_.calls();
  gpu->copy_in(buffer->data(), nullptr, 0);
  gpu->copy(buffer->data(), nullptr, 0);
  gpu->copy_out(nullptr, buffer->data(), 0);
  EXPECT_THAT(fake_.calls(), Not(HasSubstr("cuMemcpy")));
}

TEST_F(CudaAcceleratorTest, WorkRunsInTheOrderOfTheCalls) {
  const auto gpu = open();
  const auto kernel = add_one();
  const auto x = on_device(*gpu, count_up(64));
  const auto y = gpu->memory().allocate(64 * sizeof(float));
  launch(*kernel, *gpu, {x.get(), y.get()});
  gpu->copy(x->data(), y->data(), y->bytes());
  launch(*kernel, *gpu, {x.get(), y.get()});
  EXPECT_EQ(fake_.operations(), "");
  EXPECT_EQ(to_host(*gpu, *y), count_up(64, 2));
  EXPECT_EQ(fake_.operations(),
            "cuMemcpyHtoDAsync stream1 memory1 pinned1 256\n"
            "cuLaunchKernel stream1 add_one 2x1x1 32x1x1 memory1 memory2\n"
            "cuMemcpyDtoDAsync stream1 memory1 memory2 256\n"
            "cuLaunchKernel stream1 add_one 2x1x1 32x1x1 memory1 memory2\n"
            "cuMemcpyDtoHAsync stream1 pinned1+256 memory2 256\n");
}

TEST_F(CudaAcceleratorTest, SynchronizeRunsAllWork) {
  const auto gpu = open();
  const auto buffer = on_device(*gpu, count_up(4));
  gpu->synchronize();
  EXPECT_THAT(fake_.operations(), HasSubstr("cuMemcpyHtoDAsync"));
}

TEST_F(CudaAcceleratorTest, MemoryThatComesBackIsHandedOutAgainWithoutACall) {
  const auto gpu = open();
  const auto kernel = add_one();
  const auto x = on_device(*gpu, count_up(64));
  auto y = gpu->memory().allocate(256);
  launch(*kernel, *gpu, {x.get(), y.get()});
  std::byte* const place = y->data();
  y = nullptr;  // the kernel has not run yet; what is put there next comes after it
  fake_.calls();
  const auto z = gpu->memory().allocate(256);
  EXPECT_EQ(z->data(), place);
  EXPECT_EQ(fake_.calls(), "");
  gpu->copy(z->data(), x->data(), 256);
  EXPECT_EQ(to_host(*gpu, *z), count_up(64));
}

TEST_F(CudaAcceleratorTest, MemoryIsAligned) {
  const auto gpu = open();
  for (const std::size_t bytes : {1, 65, 1000}) {
    const auto buffer = gpu->memory().allocate(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer->data()) % 256, 0U) << bytes;
  }
}

TEST_F(CudaAcceleratorTest, FreeBlocksOfOtherSizesMakeRoom) {
  const auto gpu = open();
  for (std::size_t megabytes = 1; megabytes <= 30; ++megabytes) {
    gpu->memory().allocate(megabytes << 20);  // together far more than there is
  }
  EXPECT_NE(gpu->memory().allocate(std::size_t{60} << 20), nullptr);
}

TEST_F(CudaAcceleratorTest, NoMoreMemoryIsAnErrorWithTheNumbers) {
  const auto gpu = open();
  const auto buffer = gpu->memory().allocate(std::size_t{40} << 20);
  EXPECT_THAT(message_of<EnvironmentError>([&] { gpu->memory().allocate(std::size_t{30} << 20); }),
              HasSubstr("out of memory: no 31457280 bytes (30 MiB) to be had; 40 MiB are in use by "
                        "this rank, most of it 40 MiB for something; cuda:0 has 24 MiB of 64 MiB "
                        "free, for all programs that use it"));
  const auto small = gpu->memory().allocate(1);  // goes on
}

TEST_F(CudaAcceleratorTest, MemoryIsGivenBackWhenTheWorkThatUsesItIsDone) {
  const auto gpu = open();
  const auto kernel = add_one();
  {
    const auto x = on_device(*gpu, count_up(64));
    const auto y = gpu->memory().allocate(256);
    launch(*kernel, *gpu, {x.get(), y.get()});
  }
  gpu->memory().trim();
  EXPECT_EQ(gpu->memory().cached_bytes(), 0U);
  EXPECT_THAT(fake_.operations(), HasSubstr("add_one"));
}

TEST_F(CudaAcceleratorTest, BuffersMayOutliveIt) {
  auto gpu = open();
  const auto buffer = on_device(*gpu, count_up(64));
  gpu = nullptr;
  EXPECT_EQ(fake_.left(), "context1\nstream1\nmemory1\n");
}

TEST_F(CudaAcceleratorTest, AnyThreadMayAllocate) {
  const auto gpu = open();
  std::shared_ptr<Buffer> buffer;
  std::thread([&] { buffer = gpu->memory().allocate(100); }).join();
  const auto values = count_up(25);
  gpu->copy_in(buffer->data(), values.data(), 100);
  EXPECT_EQ(to_host(*gpu, *buffer), values);
}

TEST_F(CudaAcceleratorTest, TheEndOfTheProcessDoesNotMatter) {
  auto gpu = open();
  const auto kernel = add_one();
  auto x = on_device(*gpu, count_up(64));
  launch(*kernel, *gpu, {x.get(), x.get()});
  auto recording = gpu->record([&] { launch(*kernel, *gpu, {x.get(), x.get()}); });
  fake_.deinitialize();
  x = nullptr;
  recording = nullptr;
  gpu = nullptr;
  EXPECT_EQ(fake_.complaints(), "");
  fake_ = test::FakeCuda();  // what is left is the driver's
}

TEST_F(CudaAcceleratorTest, LeavesTheThreadTheContextThatItHad) {
  FakeCudaSetup setup = test::FakeCuda::kUsual;
  setup.devices = 2;
  test::FakeCuda fake(setup);
  const CudaDriver& driver = fake.driver();
  CUcontext others = nullptr;
  driver.cuDevicePrimaryCtxRetain(&others, 1);
  driver.cuCtxPushCurrent(others);
  const auto current = [&] {
    CUcontext context = nullptr;
    reinterpret_cast<CUresult (*)(CUcontext*)>(driver.library().symbol("cuCtxGetCurrent"))(
        &context);
    return context;
  };
  {
    CudaAccelerator gpu(driver, 0);
    const auto kernel = add_one();
    const auto x = on_device(gpu, count_up(64));
    const auto recording = gpu.record([&] { launch(*kernel, gpu, {x.get(), x.get()}); });
    EXPECT_EQ(current(), others);
    recording->replay();
    launch(*kernel, gpu, {x.get(), x.get()});
    gpu.copy(x->data(), x->data() + 128, 64);
    EXPECT_EQ(current(), others);
    to_host(gpu, *x);
    fake.fail("cuLaunchKernel", 1, CUDA_ERROR_UNKNOWN);
    EXPECT_THROW(launch(*kernel, gpu, {x.get(), x.get()}), EnvironmentError);
    EXPECT_EQ(current(), others);
  }
  EXPECT_EQ(current(), others);
  driver.cuDevicePrimaryCtxRelease(1);
  EXPECT_EQ(fake.complaints(), "");
}

// What ranks that are threads keep free, another one gets.
TEST_F(CudaAcceleratorTest, WhereMemoryRunsOutAllGiveBackWhatIsFree) {
  const auto first = open();
  const auto second = open();
  const std::size_t most = test::FakeCuda::kUsual.memory_bytes / 8 * 5;
  first->memory().allocate(most);
  EXPECT_GE(first->memory().cached_bytes(), most);
  const auto buffer = second->memory().allocate(most);
  EXPECT_EQ(first->memory().cached_bytes(), 0U);
  EXPECT_THROW(first->memory().allocate(most), EnvironmentError);
}

TEST_F(CudaAcceleratorTest, WaitsOnceBeforeItGivesBackMemory) {
  const auto gpu = open();
  for (int i = 1; i < 6; ++i) gpu->memory().allocate(static_cast<std::size_t>(i) << 16);
  fake_.calls();
  gpu->memory().trim();
  const std::string calls = fake_.calls();
  const auto count = [&](const std::string& call) {
    std::size_t found = 0;
    for (std::size_t at = 0; (at = calls.find(call, at)) != std::string::npos; ++at) ++found;
    return found;
  };
  EXPECT_EQ(count("cuStreamSynchronize"), 1U);
  EXPECT_EQ(count("cuMemFree"), 5U);
}

TEST_F(CudaAcceleratorTest, GivesNothingBackWhileItsWorkWaitsForOtherRanks) {
  const auto gpu = open();
  auto kernel = add_one();
  auto x = on_device(*gpu, count_up(64));
  launch(*kernel, *gpu, {x.get(), x.get()});
  x = nullptr;
  fake_.calls();
  {
    const CudaReleases::PeersWork running(gpu->stream());
    gpu->memory().trim();
    kernel = nullptr;
    EXPECT_EQ(gpu->memory().cached_bytes(), 0U);
    EXPECT_EQ(fake_.calls(), "");
  }
  EXPECT_EQ(fake_.calls(),
            "cuStreamSynchronize stream1\ncuMemFree memory1\ncuModuleUnload module1\n");
}

TEST_F(CudaAcceleratorTest, KeepsNoMoreThanItMay) {
  CudaAccelerator gpu(fake_.driver(), 0, std::size_t{1} << 20);
  for (int i = 1; i < 40; ++i) gpu.memory().allocate(static_cast<std::size_t>(i) << 16);
  EXPECT_LE(gpu.memory().cached_bytes(), std::size_t{1} << 20);
}

TEST_F(CudaAcceleratorTest, GpusAreApart) {
  FakeCudaSetup setup = test::FakeCuda::kUsual;
  setup.devices = 2;
  test::FakeCuda fake(setup);
  CudaAccelerator first(fake.driver(), 0);
  CudaAccelerator second(fake.driver(), 1);
  const auto kernel = add_one();
  const auto x = on_device(first, count_up(64));
  const auto y = on_device(second, count_up(64, 100));
  launch(*kernel, first, {x.get(), x.get()});
  launch(*kernel, second, {y.get(), y.get()});
  EXPECT_EQ(to_host(first, *x), count_up(64, 1));
  EXPECT_EQ(to_host(second, *y), count_up(64, 101));
  EXPECT_EQ(fake.complaints(), "");
}

}  // namespace
}  // namespace tutti::runtime::accelerator_test
