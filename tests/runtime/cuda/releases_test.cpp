#include <tutti/runtime/cuda/event.h>
#include <tutti/runtime/cuda/releases.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "tests/runtime/cuda/testing.h"

namespace tutti::runtime::releases_test {
namespace {

using testing::HasSubstr;
using testing::Not;

class CudaReleasesTest : public FakeCudaTest {};

TEST_F(CudaReleasesTest, WhatIsLeftIsCalledBeforeTheStreamGoes) {
  auto stream = std::make_shared<CudaStream>(fake_.driver(), 0);
  fake_.calls();
  std::string before;
  stream->releases().release_later([&] { before = fake_.calls(); });
  stream = nullptr;
  EXPECT_THAT(before, HasSubstr("cuStreamSynchronize stream1\n"));
  EXPECT_THAT(before, Not(HasSubstr("cuStreamDestroy")));
  EXPECT_THAT(fake_.calls(), HasSubstr("cuStreamDestroy stream1\n"));
}

TEST_F(CudaReleasesTest, WaitForTheLastOfWhatWaitsForOtherRanks) {
  const auto gpu = open();
  bool called = false;
  {
    const CudaReleases::PeersWork first(gpu->stream());
    {
      const CudaReleases::PeersWork second(gpu->stream());
      gpu->stream()->releases().release([&] { called = true; });
    }
    EXPECT_FALSE(called);
  }
  EXPECT_TRUE(called);
}

// Ranks that are threads have one context on a GPU, for all of which the driver waits.
TEST_F(CudaReleasesTest, WaitForWhatOtherRanksHaveOnTheSameGpu) {
  const auto gpu = open();
  const auto others = open();
  gpu->memory().allocate(1000);
  {
    const CudaReleases::PeersWork running(others->stream());
    EXPECT_FALSE(gpu->stream()->releases().waits_for_peers());
    fake_.calls();
    gpu->memory().trim();
    EXPECT_EQ(gpu->memory().cached_bytes(), 0U);
    EXPECT_THAT(fake_.calls(), Not(HasSubstr("cuMemFree")));
  }
  gpu->memory().trim();  // it has nothing more, and gives back what it had
  EXPECT_THAT(fake_.calls(), HasSubstr("cuMemFree"));
}

// Nor does who finds no room wait for others then, while they have nothing more on the GPU.
TEST_F(CudaReleasesTest, OfNothingTakeNoLock) {
  const auto gpu = open();
  gpu->stream()->releases().wait_for_peers_work();  // what tests before have put off is forgotten
  const std::scoped_lock lock(gpu->stream()->recording());
  std::thread([&] { gpu->memory().trim(); }).join();
  {
    const CudaReleases::PeersWork running(gpu->stream());
    gpu->memory().trim();
  }
  EXPECT_FALSE(gpu->stream()->releases().wait_for_peers_work());
}

TEST(CudaReleasesOfTwo, DoNotWaitForWhatIsOnAnotherGpu) {
  FakeCudaSetup setup = test::FakeCuda::kUsual;
  setup.devices = 2;
  test::FakeCuda fake(setup);
  {
    CudaAccelerator gpu(fake.driver(), 0);
    CudaAccelerator others(fake.driver(), 1);
    gpu.memory().allocate(1000);
    const CudaReleases::PeersWork running(others.stream());
    gpu.memory().trim();
    EXPECT_THAT(fake.calls(), HasSubstr("cuMemFree"));
  }
  EXPECT_EQ(fake.left(), "");
}

// A rank leaves while another one's GPU waits.
TEST_F(CudaReleasesTest, OfAStreamThatGoesAreCalledByWhoEndsLast) {
  auto gpu = open();
  const auto others = open();
  auto kernel = add_one();
  auto x = on_device(*gpu, count_up(64));
  launch(*kernel, *gpu, {x.get(), x.get()});
  gpu->synchronize();
  {
    const CudaReleases::PeersWork running(others->stream());
    x = nullptr;
    fake_.calls();
    gpu = nullptr;
    kernel = nullptr;
    const std::string calls = fake_.calls();
    EXPECT_THAT(calls, HasSubstr("cuStreamDestroy"));
    EXPECT_THAT(calls, Not(HasSubstr("cuMemFree")));
    EXPECT_THAT(calls, Not(HasSubstr("cuModuleUnload")));
  }
  const std::string calls = fake_.calls();
  EXPECT_THAT(calls, HasSubstr("cuMemFree"));
  EXPECT_THAT(calls, HasSubstr("cuModuleUnload"));
}

// Whoever finds no room waits for the end of what puts releases off.
TEST_F(CudaReleasesTest, ThatWerePutOffMakeRoomOnceTheyCanBeCalled) {
  const auto gpu = open();
  const auto others = open();
  const std::size_t most = test::FakeCuda::kUsual.memory_bytes / 8 * 5;
  gpu->memory().allocate(most);
  auto running = std::make_unique<CudaReleases::PeersWork>(others->stream());
  gpu->memory().trim();
  std::thread end([&] { running = nullptr; });  // before the other one looks, or while it waits
  EXPECT_NE(gpu->memory().allocate(most), nullptr);
  end.join();
}

// Of ranks that are threads one may compute for long, and not look at what it has on its lane.
TEST_F(CudaReleasesTest, GoOnWhereWorkIsOverThatItsThreadDoesNotLookAt) {
  const auto gpu = open();
  const auto others = open();
  const std::size_t most = test::FakeCuda::kUsual.memory_bytes / 8 * 5;
  gpu->memory().allocate(most);
  std::thread([&] {
    const CudaStream::Entered entered = others->stream()->enter();
    auto done = std::make_shared<CudaEvent>(others->stream());
    done->record(others->lane()->handle());
    fake_.fail("cuEventQuery", 1, CUDA_ERROR_NOT_READY);  // of add()
    others->lane()->add({.done = done, .check = [] {}, .abort = [] {}, .buffers = {}});
  }).join();
  fake_.fail("cuEventQuery", 1, CUDA_ERROR_NOT_READY);
  gpu->memory().trim();                                 // is put off
  fake_.fail("cuEventQuery", 1, CUDA_ERROR_NOT_READY);  // and once more, to be waited for
  const auto start = std::chrono::steady_clock::now();
  EXPECT_NE(gpu->memory().allocate(most), nullptr);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
  EXPECT_FALSE(others->stream()->releases().waits_for_peers());
}

// Whoever closed its lane could not wait any longer: what was on it ends all the same.
TEST_F(CudaReleasesTest, GoOnWhereEveryEventHasCome) {
  const auto gpu = open();
  const auto others = open();
  const CudaStream::Entered entered = others->stream()->enter();
  const auto event = [&] {
    auto out = std::make_shared<CudaEvent>(others->stream());
    out->record();
    return out;
  };
  CudaReleases::PeersWork work(others->stream());
  bool called = false;
  gpu->stream()->releases().release([&] { called = true; });
  EXPECT_FALSE(called);
  fake_.fail("cuEventQuery", 2, CUDA_ERROR_NOT_READY);
  work.ends_with({event(), event()});
  gpu->stream()->releases().flush();
  EXPECT_FALSE(called);
  gpu->stream()->releases().flush();
  EXPECT_TRUE(called);
}

}  // namespace
}  // namespace tutti::runtime::releases_test
