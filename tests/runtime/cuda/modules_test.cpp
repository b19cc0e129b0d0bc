#include <tutti/ir/support/error.h>

#include <barrier>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/runtime/cuda/testing.h"

// Code that ranks of one process launch on one GPU, each on a stream of its own.
namespace tutti::runtime::modules_test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t count_of(const std::string& calls, std::string_view call) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = calls.find(call, at)) != std::string::npos; ++at) ++found;
  return found;
}

class CudaModulesTest : public FakeCudaTest {
 protected:
  // Ranks as threads that all launch first at once; each goes on its way and ends by itself.
  void launch_at_once(int ranks) {
    fake_.driver();  // which is loaded at the first call
    auto kernel = add_one();
    std::barrier<> together(ranks);
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks; ++rank) {
      threads.emplace_back([&, rank] {
        const auto gpu = open();
        const auto from = static_cast<float>(100 * rank);
        const auto x = on_device(*gpu, count_up(64, from));
        together.arrive_and_wait();
        for (int i = 0; i <= rank; ++i) launch(*kernel, *gpu, {x.get(), x.get()});
        EXPECT_EQ(to_host(*gpu, *x), count_up(64, from + static_cast<float>(rank) + 1));
        together.arrive_and_wait();  // nobody has gone before all have launched
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
};

TEST_F(CudaModulesTest, AnImageIsLoadedOnceForAllRanksThatAreThreads) {
  for (const int ranks : {2, 4}) {
    fake_.calls();
    launch_at_once(ranks);
    const std::string calls = fake_.calls();
    EXPECT_EQ(count_of(calls, "cuLaunchKernel "),
              static_cast<std::size_t>(ranks * (ranks + 1) / 2));
    EXPECT_EQ(count_of(calls, "cuModuleLoadData"), 1U) << ranks;
    EXPECT_EQ(count_of(calls, "cuModuleGetFunction"), 1U) << ranks;
    EXPECT_EQ(count_of(calls, "cuModuleUnload"), 1U) << ranks;
  }
}

TEST_F(CudaModulesTest, ItStaysForTheOthersWhereOneGoes) {
  auto first = open();
  const auto second = open();
  auto kernel = add_one();
  auto x = on_device(*first, count_up(64));
  const auto y = on_device(*second, count_up(64));
  launch(*kernel, *first, {x.get(), x.get()});
  launch(*kernel, *second, {y.get(), y.get()});
  x = nullptr;
  fake_.calls();
  first = nullptr;
  EXPECT_THAT(fake_.calls(), Not(HasSubstr("cuModule")));
  launch(*kernel, *second, {y.get(), y.get()});
  EXPECT_EQ(to_host(*second, *y), count_up(64, 2));
  fake_.calls();
  kernel = nullptr;
  EXPECT_THAT(fake_.calls(), HasSubstr("cuModuleUnload module1\n"));
}

// The double complains of work whose code is gone when it runs.
TEST_F(CudaModulesTest, ItIsUnloadedWhenTheWorkOfAllStreamsIsDone) {
  const auto first = open();
  const auto second = open();
  auto kernel = add_one();
  const auto x = on_device(*first, count_up(64));
  const auto y = on_device(*second, count_up(64));
  launch(*kernel, *first, {x.get(), x.get()});
  launch(*kernel, *second, {y.get(), y.get()});
  EXPECT_EQ(fake_.operations(), "");
  fake_.calls();
  kernel = nullptr;
  EXPECT_EQ(fake_.calls(),
            "cuStreamSynchronize stream1\n"
            "cuStreamSynchronize stream2\n"
            "cuModuleUnload module1\n");
  EXPECT_EQ(to_host(*first, *x), count_up(64, 1));
  EXPECT_EQ(to_host(*second, *y), count_up(64, 1));
}

TEST_F(CudaModulesTest, AStreamThatRecordsKeepsItForTheTime) {
  const auto first = open();
  const auto second = open();
  auto kernel = add_one();
  const auto x = on_device(*first, count_up(64));
  for (const auto* const gpu : {&first, &second}) launch(*kernel, **gpu, {x.get(), x.get()});
  first->synchronize();
  second->synchronize();
  fake_.calls();
  const auto recording = first->record([&] {
    kernel = nullptr;
    EXPECT_THAT(fake_.calls(), Not(HasSubstr("cuModuleUnload")));
  });
  EXPECT_THAT(fake_.calls(), HasSubstr("cuModuleUnload module1\n"));
}

TEST_F(CudaModulesTest, WhatOneRecordedOutlivesTheLaunchesOfOthers) {
  const auto first = open();
  const auto second = open();
  auto kernel = add_one();
  const auto x = on_device(*first, count_up(64));
  const auto y = on_device(*second, count_up(64));
  launch(*kernel, *second, {y.get(), y.get()});
  auto recording = first->record([&] { launch(*kernel, *first, {x.get(), x.get()}); });
  fake_.calls();
  kernel = nullptr;
  EXPECT_THAT(fake_.calls(), Not(HasSubstr("cuModuleUnload")));
  recording->replay();
  EXPECT_EQ(to_host(*first, *x), count_up(64, 1));
  recording = nullptr;
  EXPECT_THAT(fake_.calls(), HasSubstr("cuModuleUnload module1\n"));
}

TEST_F(CudaModulesTest, WhereLoadingFailsTheNextOneTriesAgain) {
  const auto first = open();
  const auto second = open();
  const auto kernel = add_one();
  const auto x = on_device(*first, count_up(64));
  for (const char* const function :
       {"cuModuleLoadData", "cuModuleGetFunction", "cuFuncGetParamInfo"}) {
    fake_.fail(function, 1, CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_THAT(message_of<EnvironmentError>([&] { launch(*kernel, *first, {x.get(), x.get()}); }),
                HasSubstr(std::string(function) + " failed: CUDA_ERROR_OUT_OF_MEMORY"));
  }
  launch(*kernel, *second, {x.get(), x.get()});
  launch(*kernel, *first, {x.get(), x.get()});
  EXPECT_EQ(count_of(fake_.calls(), "cuModuleLoadData:"), 3U);  // two of them without a function
}

TEST_F(CudaModulesTest, EqualImagesOfTwoKernelsAreTwo) {
  const auto gpu = open();
  const auto kernel = add_one();
  auto other = add_one();
  const auto x = on_device(*gpu, count_up(64));
  launch(*kernel, *gpu, {x.get(), x.get()});
  launch(*other, *gpu, {x.get(), x.get()});
  other = nullptr;
  launch(*kernel, *gpu, {x.get(), x.get()});
  EXPECT_EQ(to_host(*gpu, *x), count_up(64, 3));
}

TEST(CudaModulesOfTwoGpus, AreApart) {
  FakeCudaSetup setup = test::FakeCuda::kUsual;
  setup.devices = 2;
  test::FakeCuda fake(setup);
  auto kernel = add_one();
  {
    CudaAccelerator first(fake.driver(), 0);
    CudaAccelerator second(fake.driver(), 1);
    for (CudaAccelerator* const gpu : {&first, &second}) {
      const auto x = on_device(*gpu, count_up(64));
      launch(*kernel, *gpu, {x.get(), x.get()});
      EXPECT_EQ(to_host(*gpu, *x), count_up(64, 1));
    }
    EXPECT_EQ(count_of(fake.calls(), "cuModuleLoadData:"), 2U);
    kernel = nullptr;
    EXPECT_EQ(count_of(fake.calls(), "cuModuleUnload "), 2U);
  }
  EXPECT_EQ(fake.complaints(), "");
  EXPECT_EQ(fake.left(), "");
}

}  // namespace
}  // namespace tutti::runtime::modules_test
