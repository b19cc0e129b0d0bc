#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tests/runtime/cuda/nccl_testing.h"
#include "tests/runtime/ranks.h"
#include <gmock/gmock.h>

namespace tutti::runtime::nccl_windows_test {
namespace {

using testing::Each;
using testing::HasSubstr;

constexpr std::size_t kBytes = 64 * sizeof(float);

// A rank of a group, as a compiled program that has an operand and a result at places of the
// group's memory.
class Member {
 public:
  Member(HostBackend& backend, GpuOfRank& gpu)
      : gpu_(gpu),
        ranks_(backend.ranks()),
        group_(backend.communicator(first_ranks(ranks_), "all", "nccl")),
        call_(prepared_sum_of(*group_, 64)) {}

  // A sum of ones with operand and result at these offsets, by a program that begins.
  void sum(std::size_t operand, std::size_t result) {
    if (memory_ == nullptr || memory_->retired())
      memory_ = group_->symmetric_memory(4 * kBytes, &*gpu_);
    add(memory_->at(operand, kBytes), memory_->at(result, kBytes));
  }
  // The same, of a program that has no places.
  void sum_anywhere() { add(gpu_->memory().allocate(kBytes), nullptr); }
  // Another program's failure leaves results in the memory.
  void retire() { memory_->retire(); }
  void close() {
    group_->close();
    EXPECT_EQ(gpu_.windows(), 0);
  }

 private:
  void add(std::shared_ptr<Buffer> operand, std::shared_ptr<Buffer> result) {
    gpu_->copy(operand->data(), ones(gpu_, 64)->data(), kBytes);
    const std::vector<std::shared_ptr<Buffer>> results = {std::move(result)};
    const auto work =
        group_->start(call_, {{operand}}, {.results = results, .accelerator = &*gpu_});
    work->wait();
    EXPECT_EQ(to_host(*gpu_, *work->result(0)), std::vector<float>(64, static_cast<float>(ranks_)));
    EXPECT_TRUE(results[0] == nullptr || work->result(0) == results[0]);
  }

  GpuOfRank& gpu_;
  const std::int64_t ranks_;
  const std::shared_ptr<Communicator> group_;
  const std::shared_ptr<const PreparedCall> call_;
  std::shared_ptr<SymmetricMemory> memory_;
};

TEST(NcclWindows, WhatProgramsPlaceIsAWindow) {
  const auto thrown = run_gpus(3, [](HostBackend& backend, GpuOfRank& gpu) {
    Member member(backend, gpu);
    for (int run = 0; run < 4; ++run) member.sum(0, kBytes);
    EXPECT_EQ(gpu.windows(), 1);
    EXPECT_EQ(gpu.in_windows(), 3);  // all but the first, which members made it at
    member.sum(kBytes, kBytes);      // in place
    member.sum_anywhere();
    EXPECT_EQ(gpu.in_windows(), 4);
    member.close();
  });
  EXPECT_THAT(thrown, Each(""));
}

// Where one library looks for a window and the other does not, they would wait for each other.
TEST(NcclWindows, PlacesOfOneMemberAloneAreLeft) {
  const auto thrown = run_gpus(2, [](HostBackend& backend, GpuOfRank& gpu) {
    Member member(backend, gpu);
    for (int run = 0; run < 2; ++run) member.sum(0, kBytes);
    if (backend.rank() == 0) {
      member.sum(0, kBytes);
    } else {
      member.sum_anywhere();
    }
    EXPECT_EQ(gpu.in_windows(), 1);
    member.sum(0, kBytes);
    EXPECT_EQ(gpu.in_windows(), 2);
    member.close();
  });
  EXPECT_THAT(thrown, Each(""));
}

TEST(NcclWindows, OtherOffsetsOnAnotherMemberAreLeft) {
  const auto thrown = run_gpus(2, [](HostBackend& backend, GpuOfRank& gpu) {
    Member member(backend, gpu);
    for (int run = 0; run < 2; ++run) member.sum(0, kBytes);
    member.sum(backend.rank() == 0 ? 0 : 2 * kBytes, kBytes);
    EXPECT_EQ(gpu.in_windows(), 1);
    member.close();
  });
  EXPECT_THAT(thrown, Each(""));
}

// It has other memory afterwards than the others, until all have taken new one.
TEST(NcclWindows, AProgramThatFailsOnOneMemberIsMadeUpFor) {
  const auto thrown = run_gpus(3, [](HostBackend& backend, GpuOfRank& gpu) {
    Member member(backend, gpu);
    for (int run = 0; run < 2; ++run) member.sum(0, kBytes);
    if (backend.rank() == 1) member.retire();
    member.sum(0, kBytes);  // differs
    member.sum(0, kBytes);  // is registered
    EXPECT_EQ(gpu.in_windows(), 1);
    member.sum(0, kBytes);
    EXPECT_EQ(gpu.in_windows(), 2);
    member.close();
  });
  EXPECT_THAT(thrown, Each(""));
}

TEST(NcclWindows, WithoutThemAllGoesOn) {
  const auto thrown = run_gpus(2, [](HostBackend& backend, GpuOfRank& gpu) {
    gpu.give_no_windows();
    Member member(backend, gpu);
    for (int run = 0; run < 3; ++run) member.sum(0, kBytes);
    EXPECT_EQ(gpu.windows(), 0);
    EXPECT_EQ(gpu.communicators(), 1);  // another one
    member.close();
  });
  EXPECT_THAT(thrown, Each(""));
}

// Its kernels that use windows don't see that they are aborted; the oldest has none.
TEST(NcclWindows, AnOlderLibraryIsGivenNone) {
  for (const char* const folder :
       {TUTTI_BINARY_DIR "/fake_nccl_2.27.7", TUTTI_BINARY_DIR "/fake_nccl_2.21.5"}) {
    const auto thrown = run_gpus(
        2,
        [](HostBackend& backend, GpuOfRank& gpu) {
          Member member(backend, gpu);
          for (int run = 0; run < 3; ++run) member.sum(0, kBytes);
          EXPECT_EQ(gpu.windows(), 0);
          EXPECT_EQ(gpu.communicators(), 1);
          member.close();
        },
        folder);
    EXPECT_THAT(thrown, Each("")) << folder;
  }
}

TEST(NcclWindows, MemoryThatOneMemberCannotMapIsNone) {
  const auto thrown = run_gpus(2, [](HostBackend& backend, GpuOfRank& gpu) {
    if (backend.rank() == 1) gpu.fail_driver("cuMemCreate", 1, CUDA_ERROR_NOT_PERMITTED);
    Member member(backend, gpu);
    for (int run = 0; run < 3; ++run) member.sum(0, kBytes);
    EXPECT_EQ(gpu.windows(), 0);
    member.close();
  });
  EXPECT_THAT(thrown, Each(""));
}

// NCCL gives memory by handles of the fabric where there is one, and the system lets it.
TEST(NcclWindows, OfGpusThatReachOtherHostsToo) {
  for (const bool channel : {true, false}) {
    FakeCudaSetup setup = some_gpus();
    setup.fabric = true;
    setup.channel = channel;
    const auto thrown = run_gpus(
        2,
        [](HostBackend& backend, GpuOfRank& gpu) {
          Member member(backend, gpu);
          for (int run = 0; run < 2; ++run) member.sum(0, kBytes);
          EXPECT_EQ(gpu.in_windows(), 1);
          member.close();
        },
        test::FakeCuda::folder(), setup);
    EXPECT_THAT(thrown, Each("")) << channel;
  }
}

TEST(NcclWindows, NoRoomIsAnErrorThatSaysHowMuch) {
  const auto thrown = run_gpus(2, [](HostBackend& backend, GpuOfRank& gpu) {
    const auto group = backend.communicator(first_ranks(2), "all", "nccl");
    group->symmetric_memory(std::size_t{1} << 28, &*gpu);
  });
  EXPECT_THAT(thrown,
              Each(HasSubstr("no 270532608 bytes (258 MiB) to be had for places of programs")));
}

}  // namespace
}  // namespace tutti::runtime::nccl_windows_test
