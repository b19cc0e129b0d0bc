#include <tutti/ir/support/error.h>

#include <stdexcept>

#include "tests/runtime/cuda/testing.h"

namespace tutti::runtime::recording_test {
namespace {

using testing::HasSubstr;

class CudaRecordingTest : public FakeCudaTest {};

TEST_F(CudaRecordingTest, RunsWhenItIsReplayedAndNotWhenItIsMade) {
  const auto gpu = open();
  const auto kernel = add_one();
  const auto x = on_device(*gpu, count_up(64));
  fake_.calls();
  const auto recording = gpu->record([&] {
    launch(*kernel, *gpu, {x.get(), x.get()});
    launch(*kernel, *gpu, {x.get(), x.get()});
  });
  EXPECT_EQ(fake_.calls(),
            "cuStreamBeginCapture stream1 relaxed\n"
            "cuModuleLoadData: module1\n"
            "cuModuleGetFunction module1 add_one\n"
            "cuFuncGetParamInfo add_one 0\n"
            "cuFuncGetParamInfo add_one 1\n"
            "cuFuncGetParamInfo add_one 2 = CUDA_ERROR_INVALID_VALUE\n"
            "cuLaunchKernel stream1 add_one 2x1x1 32x1x1 memory1 memory1\n"
            "cuLaunchKernel stream1 add_one 2x1x1 32x1x1 memory1 memory1\n"
            "cuStreamEndCapture stream1: graph1\n"
            "cuGraphInstantiate graph1 2 nodes: executable1\n"
            "cuGraphDestroy graph1\n");
  EXPECT_EQ(to_host(*gpu, *x), count_up(64));
  fake_.calls();
  recording->replay();
  recording->replay();
  EXPECT_EQ(fake_.calls(),
            "cuGraphLaunch executable1 stream1\ncuGraphLaunch executable1 stream1\n");
  EXPECT_EQ(to_host(*gpu, *x), count_up(64, 4));
}

TEST_F(CudaRecordingTest, OfNothingDoesNothing) {
  const auto gpu = open();
  const auto x = on_device(*gpu, count_up(4));
  gpu->record([] {})->replay();
  EXPECT_EQ(to_host(*gpu, *x), count_up(4));
  EXPECT_EQ(fake_.complaints(), "");
}

TEST_F(CudaRecordingTest, KeepsTheCodeThatItLaunches) {
  const auto gpu = open();
  auto kernel = add_one();
  const auto x = on_device(*gpu, count_up(64));
  const auto recording = gpu->record([&] { launch(*kernel, *gpu, {x.get(), x.get()}); });
  kernel = nullptr;
  recording->replay();
  EXPECT_EQ(to_host(*gpu, *x), count_up(64, 1));
}

// As where a cache of kernels is full: the driver is not to wait for a stream that records.
TEST_F(CudaRecordingTest, WhatIsLetGoOfMeanwhileIsReleasedLater) {
  CudaAccelerator gpu(fake_.driver(), 0, 0);  // keeps no memory for later
  const auto kernel = add_one();
  auto other = add_one();
  const auto x = on_device(gpu, count_up(64));
  auto y = on_device(gpu, count_up(64));
  launch(*other, gpu, {y.get(), y.get()});
  fake_.calls();
  std::string calls;
  const auto recording = gpu.record([&] {
    launch(*kernel, gpu, {x.get(), x.get()});
    other = nullptr;
    y = nullptr;
    calls = fake_.calls();
  });
  EXPECT_THAT(calls, testing::Not(HasSubstr("cuModuleUnload")));
  EXPECT_THAT(calls, testing::Not(HasSubstr("cuMemFree")));
  calls = fake_.calls();  // at the end of the recording
  EXPECT_THAT(calls, HasSubstr("cuModuleUnload"));
  EXPECT_THAT(calls, HasSubstr("cuMemFree"));
  recording->replay();
  EXPECT_EQ(to_host(gpu, *x), count_up(64, 1));
}

TEST_F(CudaRecordingTest, MayOutliveTheAccelerator) {
  auto gpu = open();
  const auto kernel = add_one();
  const auto x = on_device(*gpu, count_up(64));
  const auto recording = gpu->record([&] { launch(*kernel, *gpu, {x.get(), x.get()}); });
  gpu = nullptr;
  recording->replay();
  // Nobody is left who waits for its stream: all that is to be seen is that it was launched.
  EXPECT_THAT(fake_.calls(), testing::HasSubstr("cuGraphLaunch"));
  EXPECT_EQ(fake_.complaints(), "");
}

TEST_F(CudaRecordingTest, AWorkspaceMayGrowMeanwhile) {
  const auto gpu = open();
  const char* const text = R"(
extern "C" __global__ void take(float* y, unsigned* counter) { y[0] = (*counter)++ + 10; *counter = 0; })";
  const CudaKernel kernel(test::FakeCuda::image("take", text),
                          {.grid = {1, 1, 1}, .block = {1, 1, 1}, .workspace_bytes = 8192});
  const auto y = gpu->memory().allocate(4);
  const auto recording = gpu->record([&] { launch(kernel, *gpu, {y.get()}); });
  gpu->workspace(std::size_t{8} << 20);  // another since then
  recording->replay();
  EXPECT_EQ(to_host(*gpu, *y), std::vector<float>{10});
}

TEST_F(CudaRecordingTest, WhatThrowsLeavesTheStreamUsable) {
  const auto gpu = open();
  const auto kernel = add_one();
  const auto x = on_device(*gpu, count_up(64));
  EXPECT_THROW(gpu->record([&] {
    launch(*kernel, *gpu, {x.get(), x.get()});
    throw std::runtime_error("no");
  }),
               std::runtime_error);
  EXPECT_EQ(to_host(*gpu, *x), count_up(64));
}

TEST_F(CudaRecordingTest, WhatTheDriverRefusesIsAnError) {
  const auto gpu = open();
  const auto x = on_device(*gpu, count_up(4));
  const std::string message = message_of<EnvironmentError>([&] {
    // As somebody else may do who does not know of the recording.
    gpu->record([&] { fake_.driver().cuStreamSynchronize(gpu->stream()->handle()); });
  });
  EXPECT_THAT(message,
              HasSubstr("cuStreamEndCapture failed: CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"));
  EXPECT_THAT(fake_.complaints(), HasSubstr("stream1 is recording"));
  EXPECT_EQ(to_host(*gpu, *x), count_up(4));
}

// Whatever fails, what comes next runs.
TEST_F(CudaRecordingTest, AFailureLeavesTheStreamUsable) {
  for (const char* const call :
       {"cuStreamBeginCapture", "cuStreamEndCapture", "cuGraphInstantiate"}) {
    const auto gpu = open();
    const auto kernel = add_one();
    const auto x = on_device(*gpu, count_up(64));
    fake_.fail(call, 1, CUDA_ERROR_UNKNOWN);
    EXPECT_THAT(message_of<EnvironmentError>(
                    [&] { gpu->record([&] { launch(*kernel, *gpu, {x.get(), x.get()}); }); }),
                HasSubstr(call));
    launch(*kernel, *gpu, {x.get(), x.get()});
    EXPECT_EQ(to_host(*gpu, *x), count_up(64, 1)) << call;
  }
}

// ---- Parts that are joined

class CudaJoinedRecordingTest : public FakeCudaTest {
 protected:
  // One launch: to = from + 1.
  std::shared_ptr<const Accelerator::Part> step(Buffer& from, Buffer& to, int launches = 1) {
    return gpu_->record_part([&] {
      for (int i = 0; i < launches; ++i) launch(*kernel_, *gpu_, {&from, &to});
    });
  }
  std::shared_ptr<Buffer> values(float from) { return on_device(*gpu_, count_up(64, from)); }
  void TearDown() override {
    gpu_ = nullptr;
    kernel_ = nullptr;
    FakeCudaTest::TearDown();
  }

  std::unique_ptr<CudaAccelerator> gpu_ = open();
  std::shared_ptr<CudaKernel> kernel_ = add_one();
};

TEST_F(CudaJoinedRecordingTest, RunsEachPartBehindThoseThatItNames) {
  const auto x = values(0);
  const auto y = values(100);
  const auto z = values(200);
  const auto joined = gpu_->join({{step(*x, *y), {}}, {step(*y, *z), {0}}});
  fake_.calls();
  joined->replay();
  EXPECT_EQ(fake_.calls(), "cuGraphLaunch executable1 stream1\n");
  EXPECT_EQ(to_host(*gpu_, *z), count_up(64, 2));
  joined->replay();
  EXPECT_EQ(to_host(*gpu_, *z), count_up(64, 2));
}

// On a GPU they may run in any order; on the double they do.
TEST_F(CudaJoinedRecordingTest, ANameThatIsMissingShows) {
  const auto x = values(0);
  const auto y = values(100);
  const auto z = values(200);
  const auto joined = gpu_->join({{step(*x, *y), {}}, {step(*y, *z), {}}});
  joined->replay();
  EXPECT_NE(to_host(*gpu_, *z), count_up(64, 2));
}

TEST_F(CudaJoinedRecordingTest, APartIsExchanged) {
  const auto x = values(0);
  const auto y = values(100);
  const auto z = values(200);
  const auto other = values(50);
  const auto joined = gpu_->join({{step(*x, *y), {}}, {step(*y, *z), {0}}});
  joined->replay();
  fake_.calls();
  joined->exchange(0, step(*other, *y));
  EXPECT_THAT(fake_.calls(), testing::Not(HasSubstr("cuGraphInstantiate")));
  joined->replay();
  EXPECT_EQ(to_host(*gpu_, *z), count_up(64, 52));
}

TEST_F(CudaJoinedRecordingTest, IsMadeAnewForWhatTheDriverDoesNotExchange) {
  const auto x = values(0);
  const auto y = values(100);
  const auto joined = gpu_->join({{step(*x, *y), {}}, {step(*y, *x), {0}}});
  fake_.calls();
  joined->exchange(1, step(*y, *x, 2));
  EXPECT_THAT(fake_.calls(), HasSubstr("CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE"));
  joined->replay();
  EXPECT_EQ(to_host(*gpu_, *x), count_up(64, 2));
}

TEST_F(CudaJoinedRecordingTest, AFailureLeavesNothingBehind) {
  for (const char* const call :
       {"cuGraphCreate", "cuGraphAddChildGraphNode", "cuGraphInstantiate"}) {
    const auto x = values(0);
    const auto part = step(*x, *x);
    fake_.fail(call, 1, CUDA_ERROR_UNKNOWN);
    EXPECT_THAT(message_of<EnvironmentError>([&] { gpu_->join({{part, {}}}); }), HasSubstr(call));
  }
}

TEST_F(CudaRecordingTest, WhatWaitsHasNoPlaceInIt) {
  const auto gpu = open();
  const auto x = on_device(*gpu, count_up(4));
  float value = 0;
  const auto in_recording = [&](FunctionRef<void()> work) {
    return message_of<InternalError>([&] { gpu->record(work); });
  };
  EXPECT_EQ(in_recording([&] { gpu->copy_in(x->data(), &value, 4); }),
            "copy_in in what is to be recorded");
  EXPECT_EQ(in_recording([&] { gpu->copy_out(&value, x->data(), 4); }),
            "copy_out in what is to be recorded");
  EXPECT_EQ(in_recording([&] { gpu->synchronize(); }), "synchronize in what is to be recorded");
  EXPECT_EQ(in_recording([&] { gpu->record([] {}); }), "record in what is to be recorded");
  EXPECT_EQ(to_host(*gpu, *x), count_up(4));
}

}  // namespace
}  // namespace tutti::runtime::recording_test
