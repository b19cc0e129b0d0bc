#include <tutti/ir/support/error.h>

#include <array>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/runtime/cuda/nccl_testing.h"
#include "tests/runtime/ranks.h"
#include <gmock/gmock.h>

// Memory that NCCL can't register: all members connect again and go on without windows. On the
// doubles of the driver and of NCCL, each rank a process with a GPU of its own.
namespace tutti::runtime::failing_windows_test {
namespace {

using testing::Each;
using testing::HasSubstr;

constexpr std::size_t kBytes = 64 * sizeof(float);
constexpr std::size_t kSmall = 4 * kBytes;
constexpr std::size_t kLarge = std::size_t{6} << 20;

// A rank of a group, as compiled programs that have an operand and a result at places of the
// group's memory.
class Member {
 public:
  Member(HostBackend& backend, GpuOfRank& gpu)
      : gpu_(gpu),
        ranks_(backend.ranks()),
        group_(backend.communicator(first_ranks(ranks_), "all", "nccl")),
        call_(prepared_sum_of(*group_, 64)) {}

  // A sum of ones at the beginning of so much memory.
  std::shared_ptr<Work> start(std::size_t memory) {
    std::shared_ptr<SymmetricMemory>& lies_in = memory == kSmall ? small_ : large_;
    if (lies_in == nullptr || lies_in->retired())
      lies_in = group_->symmetric_memory(memory, &*gpu_);
    const std::shared_ptr<Buffer> operand = lies_in->at(0, kBytes);
    const std::vector<std::shared_ptr<Buffer>> results = {lies_in->at(kBytes, kBytes)};
    gpu_->copy(operand->data(), ones(gpu_, 64)->data(), kBytes);
    return group_->start(call_, {{operand}}, {.results = results, .accelerator = &*gpu_});
  }
  void end(Work& work) {
    work.wait();
    EXPECT_EQ(to_host(*gpu_, *work.result(0)), std::vector<float>(64, static_cast<float>(ranks_)));
  }
  void sum(std::size_t memory) { end(*start(memory)); }
  // The same of a program that has no places.
  void sum_anywhere() { end(*group_->start(call_, {{ones(gpu_, 64)}}, {.accelerator = &*gpu_})); }
  // A program failed, and the next begins.
  void begin_anew() {
    for (auto* const memory : {&small_, &large_}) {
      if (*memory != nullptr) (*memory)->retire();
      *memory = nullptr;
    }
    group_->symmetric_memory(kSmall, &*gpu_);
  }
  void close() {
    group_->close();
    EXPECT_EQ(gpu_.windows(), 0);
  }

 private:
  GpuOfRank& gpu_;
  const std::int64_t ranks_;
  const std::shared_ptr<Communicator> group_;
  const std::shared_ptr<const PreparedCall> call_;
  std::shared_ptr<SymmetricMemory> small_;
  std::shared_ptr<SymmetricMemory> large_;
};

// How it fails: the call is refused, or what it began fails, before the others have theirs or
// behind that, or it succeeds and no window comes of it.
using Arm = std::function<void(GpuOfRank& gpu)>;
const std::array<Arm, 4> kFaults = {
    [](GpuOfRank& gpu) { gpu.fail("ncclCommWindowRegister", 1, nccl::Result::internal_error); },
    [](GpuOfRank& gpu) { gpu.fail_window(1, nccl::Result::unhandled_cuda_error, false); },
    [](GpuOfRank& gpu) { gpu.fail_window(1, nccl::Result::system_error, true); },
    [](GpuOfRank& gpu) { gpu.give_no_windows(); }};

class FailingWindows : public testing::TestWithParam<int> {
 protected:
  // Calls at one place of the memory, again and again.
  static void expect_plain_calls(
      int ranks, const std::function<void(std::int64_t rank, GpuOfRank& gpu)>& arm) {
    const auto thrown = run_gpus(ranks, [&](HostBackend& backend, GpuOfRank& gpu) {
      arm(backend.rank(), gpu);
      Member member(backend, gpu);
      for (int run = 0; run < 3; ++run) member.sum(kSmall);
      member.sum_anywhere();
      member.sum(kLarge);
      EXPECT_EQ(gpu.windows(), 0);
      EXPECT_EQ(gpu.in_windows(), 0);
      EXPECT_EQ(gpu.communicators(), 1);
      member.close();
    });
    EXPECT_THAT(thrown, Each(""));
  }
};

TEST_P(FailingWindows, OfOneMemberLeaveAllWithPlainCalls) {
  const int ranks = GetParam();
  for (std::size_t fault = 0; fault < kFaults.size(); ++fault) {
    SCOPED_TRACE(fault);
    const std::int64_t victim = static_cast<std::int64_t>(fault) % ranks;
    expect_plain_calls(ranks, [&](std::int64_t rank, GpuOfRank& gpu) {
      if (rank == victim) kFaults[fault](gpu);
    });
  }
}

TEST_P(FailingWindows, OfAllMembersDoSoToo) {
  expect_plain_calls(
      GetParam(), [](std::int64_t rank, GpuOfRank& gpu) { kFaults[rank % 2 == 0 ? 0 : 1](gpu); });
}

INSTANTIATE_TEST_SUITE_P(Ranks, FailingWindows, testing::Values(2, 4));

// With the communicator go the windows that it had.
TEST(FailingWindow, TakesTheEarlierOnesAlong) {
  const auto thrown = run_gpus(2, [](HostBackend& backend, GpuOfRank& gpu) {
    if (backend.rank() == 1) gpu.fail_window(2, nccl::Result::internal_error, false);
    Member member(backend, gpu);
    for (int run = 0; run < 3; ++run) member.sum(kSmall);
    EXPECT_EQ(gpu.windows(), 1);
    EXPECT_EQ(gpu.in_windows(), 2);
    for (int run = 0; run < 2; ++run) member.sum(kLarge);
    for (int run = 0; run < 2; ++run) member.sum(kSmall);
    EXPECT_EQ(gpu.windows(), 0);
    member.close();
  });
  EXPECT_THAT(thrown, Each(""));
}

// As the first time: the library needs memory for its buffers.
TEST(FailingWindow, WhatLiesFreeIsGivenBackBeforeTheyConnectAgain) {
  const auto thrown = run_gpus(2, [](HostBackend& backend, GpuOfRank& gpu) {
    if (backend.rank() == 1) gpu.fail_window(1, nccl::Result::internal_error, true);
    Member member(backend, gpu);
    member.sum_anywhere();
    gpu->memory().allocate(kLarge);
    gpu.driver_calls();
    member.sum(kSmall);
    EXPECT_THAT(gpu.driver_calls(), HasSubstr("cuMemFree "));
    member.close();
  });
  EXPECT_THAT(thrown, Each(""));
}

// They were announced when all knew a window, and come to the GPU when there is none.
TEST(FailingWindow, LeavesWhatWasAnnouncedBefore) {
  const auto thrown = run_gpus(3, [](HostBackend& backend, GpuOfRank& gpu) {
    if (backend.rank() == 0) gpu.fail_window(2, nccl::Result::internal_error, true);
    Member member(backend, gpu);
    for (int run = 0; run < 2; ++run) member.sum(kSmall);
    const auto fails = member.start(kLarge);
    const auto announced = member.start(kSmall);
    member.end(*fails);
    member.end(*announced);
    member.sum(kSmall);
    EXPECT_EQ(gpu.in_windows(), 1);
    member.close();
  });
  EXPECT_THAT(thrown, Each(""));
}

// The second time there is no other way.
TEST(FailingWindow, WhoCanNotConnectAgainIsAnErrorOfAllRanks) {
  for (const char* const function : {"ncclGetUniqueId", "ncclCommInitRankConfig"}) {
    const auto thrown = run_gpus(3, [&](HostBackend& backend, GpuOfRank& gpu) {
      if (backend.rank() == 1) gpu.fail_window(1, nccl::Result::internal_error, false);
      if (backend.rank() == 0) gpu.fail(function, 2, nccl::Result::system_error);
      Member member(backend, gpu);
      member.sum(kSmall);
      ADD_FAILURE() << "there is a result";
    });
    EXPECT_THAT(thrown, Each(HasSubstr(std::string(function) + " failed")));
  }
}

// Behind the word that there is no window, before there is an id, and while they connect.
TEST(FailingWindow, AMemberThatDiesWhileAllConnectAgainFreesTheOthers) {
  const std::array<std::pair<const char*, int>, 3> places = {
      {{"ncclCommAbort", 1}, {"ncclGetUniqueId", 2}, {"ncclCommInitRankConfig", 2}}};
  for (const auto& [function, nth] : places) {
    SCOPED_TRACE(function);
    const auto thrown = run_gpus(3, [&](HostBackend& backend, GpuOfRank& gpu) {
      if (backend.rank() == 1) gpu.fail_window(1, nccl::Result::internal_error, false);
      if (backend.rank() == 0) gpu.die(function, nth);
      Member member(backend, gpu);
      member.sum(kSmall);
      ADD_FAILURE() << "there is a result";
    });
    EXPECT_EQ(thrown[0], "exit code 7");
    EXPECT_THAT(thrown[1], HasSubstr("rank 0"));
    EXPECT_THAT(thrown[2], HasSubstr("rank 0"));
  }
}

// The others are in the library's hands, which waits for it, and may write to what it was given.
TEST(FailingWindow, AMemberThatDiesFreesTheOthers) {
  const auto thrown = run_gpus(3, [](HostBackend& backend, GpuOfRank& gpu) {
    Member member(backend, gpu);
    member.sum_anywhere();
    const auto work = member.start(kSmall);
    if (backend.rank() == 1) std::_Exit(7);  // announced, and registers nothing
    try {
      work->wait();
    } catch (const CommError&) {
      member.begin_anew();
      throw;
    }
    ADD_FAILURE() << "there is a result";
  });
  EXPECT_EQ(thrown[1], "exit code 7");
  EXPECT_THAT(thrown[0], HasSubstr("rank 1"));
  EXPECT_THAT(thrown[2], HasSubstr("rank 1"));
}

}  // namespace
}  // namespace tutti::runtime::failing_windows_test
