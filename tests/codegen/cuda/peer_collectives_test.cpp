#include <array>
#include <csignal>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "tests/codegen/cuda/peer_collective_testing.h"
#include <gmock/gmock.h>

// Collectives by kernels of our own (runtime/cuda/peer_collectives.h), between processes with a GPU
// each, on the doubles of the driver, NVRTC and NCCL.
namespace tutti::codegen::cuda::peer_collectives_test {
namespace {

using runtime::CollectiveKind;
using runtime::CommKernel;
using runtime::Exchange;
using runtime::GpuOfRank;
using runtime::HostBackend;
using runtime::run_gpus;
using testing::Each;
using testing::HasSubstr;

constexpr std::int64_t kAlways = std::int64_t{1} << 46;

constexpr std::array kSummed = {DType::f32, DType::f64, DType::f16, DType::bf16, DType::i8,
                                DType::u8,  DType::i32, DType::u32, DType::i64,  DType::u64};

class PeerCollectivesOfRanks : public testing::TestWithParam<int> {};

// NCCL adds floats in another order, and so does its double.
TEST_P(PeerCollectivesOfRanks, SumsOfAllDtypesHaveTheHostsBits) {
  const int ranks = GetParam();
  std::vector<CommKernel> kernels;
  std::vector<Exchange> exchanges;
  for (const DType dtype : kSummed) {
    kernels.push_back(
        {.kind = CommKernel::Kind::all_reduce_one_shot, .dtype = dtype, .members = ranks});
    for (const std::int64_t elements : {1, 7, 1000, 5003}) {
      exchanges.push_back(exchange_of(ranks, CollectiveKind::all_reduce, dtype, elements));
    }
  }
  compile_first(kernels);
  const auto thrown = run_gpus(ranks, [&](HostBackend& backend, GpuOfRank& gpu) {
    PeerMember member(backend, gpu);
    member.run(exchange_of(ranks, CollectiveKind::all_reduce, DType::i32, 8));  // by NCCL
    for (const Exchange& exchange : exchanges) member.run(exchange);
    EXPECT_EQ(gpu.launched("all_reduce_one_shot"), static_cast<int>(exchanges.size()));
    member.group().close();
  });
  EXPECT_THAT(thrown, Each(""));
}

TEST_P(PeerCollectivesOfRanks, SharesOfAllReduceHaveTheHostsBitsToo) {
  const int ranks = GetParam();
  std::vector<CommKernel> kernels;
  std::vector<Exchange> exchanges;
  for (const DType dtype : {DType::f32, DType::bf16}) {
    kernels.push_back(
        {.kind = CommKernel::Kind::all_reduce_two_shot, .dtype = dtype, .members = ranks});
    for (const std::int64_t elements : {1, 5, 1000, 20011}) {
      exchanges.push_back(exchange_of(ranks, CollectiveKind::all_reduce, dtype, elements));
    }
  }
  compile_first(kernels);
  const auto thrown = run_gpus(ranks, [&](HostBackend& backend, GpuOfRank& gpu) {
    PeerMember member(backend, gpu);
    member.set_one_shot_up_to(-1);
    member.run(exchange_of(ranks, CollectiveKind::all_reduce, DType::i32, 8));
    for (const Exchange& exchange : exchanges) {
      member.run(exchange);
      member.run(exchange, PeerMember::Places::in_place);
    }
    EXPECT_EQ(gpu.launched("all_reduce_two_shot"), static_cast<int>(2 * exchanges.size()));
    member.group().close();
  });
  EXPECT_THAT(thrown, Each(""));
}

TEST_P(PeerCollectivesOfRanks, GatherAndScatter) {
  const int ranks = GetParam();
  const auto at_once = [=](CommKernel::Kind kind, DType dtype, int bytes) {
    return CommKernel{.kind = kind, .dtype = dtype, .members = ranks, .bytes_at_once = bytes};
  };
  compile_first({at_once(CommKernel::Kind::all_gather, DType::u8, 16),
                 at_once(CommKernel::Kind::all_gather, DType::u8, 2),
                 at_once(CommKernel::Kind::all_gather, DType::u8, 4),
                 at_once(CommKernel::Kind::reduce_scatter, DType::f32, 16),
                 at_once(CommKernel::Kind::reduce_scatter, DType::f32, 4),
                 at_once(CommKernel::Kind::reduce_scatter, DType::f16, 2)});
  std::vector<Exchange> exchanges;
  for (const CollectiveKind kind : {CollectiveKind::all_gather, CollectiveKind::reduce_scatter}) {
    for (const std::int64_t elements : {1, 7, 1024, 3001}) {
      exchanges.push_back(exchange_of(ranks, kind, DType::f32, elements));
    }
    exchanges.push_back(exchange_of(ranks, kind, DType::f16, 333));
  }
  exchanges.push_back(exchange_of(ranks, CollectiveKind::all_gather, DType::boolean, 48));
  const auto thrown = run_gpus(ranks, [&](HostBackend& backend, GpuOfRank& gpu) {
    PeerMember member(backend, gpu);
    member.run(exchanges[0]);
    for (const Exchange& exchange : exchanges) member.run(exchange);
    EXPECT_EQ(gpu.in_windows(), 0);
    member.group().close();
  });
  EXPECT_THAT(thrown, Each(""));
}

INSTANTIATE_TEST_SUITE_P(Ranks, PeerCollectivesOfRanks, testing::Values(2, 4));

const CommKernel kSumOfTwo = {.kind = CommKernel::Kind::all_reduce_one_shot, .members = 2};

Exchange sum_of_two(std::int64_t elements) {
  return exchange_of(2, CollectiveKind::all_reduce, DType::f32, elements);
}

// Blocks meet as often as they have met before, whatever the launches between.
TEST(PeerCollectives, ManyInARowOfChangingSizes) {
  compile_first({kSumOfTwo});
  const auto thrown = run_gpus(2, [&](HostBackend& backend, GpuOfRank& gpu) {
    PeerMember member(backend, gpu);
    const std::vector<Exchange> sizes = {sum_of_two(3), sum_of_two(9000), sum_of_two(1025)};
    for (int round = 0; round < 60; ++round) member.run(sizes[static_cast<std::size_t>(round) % 3]);
    EXPECT_EQ(gpu.launched("all_reduce_one_shot"), 59);
    member.group().close();
  });
  EXPECT_THAT(thrown, Each(""));
}

// Both work on one lane, in one order.
TEST(PeerCollectives, MixWithWhatNcclCarriesOut) {
  compile_first({kSumOfTwo});
  const auto thrown = run_gpus(2, [&](HostBackend& backend, GpuOfRank& gpu) {
    PeerMember member(backend, gpu);
    const Exchange sum = sum_of_two(1000);
    const Exchange copy = exchange_of(2, CollectiveKind::broadcast, DType::f32, 100);
    for (int round = 0; round < 5; ++round) {
      member.run(sum);
      member.run(copy, PeerMember::Places::none);
      member.start(sum, PeerMember::Places::none);  // nobody waits for it
    }
    EXPECT_EQ(gpu.launched("all_reduce_one_shot"), 4);
    member.group().close();
  });
  EXPECT_THAT(thrown, Each(""));
}

TEST(PeerCollectives, OtherPlacesOnAnotherMemberGoByNccl) {
  compile_first({kSumOfTwo});
  const auto thrown = run_gpus(2, [&](HostBackend& backend, GpuOfRank& gpu) {
    PeerMember member(backend, gpu);
    const Exchange sum = exchange_of(2, CollectiveKind::all_reduce, DType::i32, 100);
    for (int round = 0; round < 2; ++round) member.run(sum_of_two(4));
    EXPECT_EQ(gpu.launched("all_reduce_one_shot"), 1);
    member.run(sum, backend.rank() == 0 ? PeerMember::Places::all : PeerMember::Places::others);
    member.run(sum, backend.rank() == 0 ? PeerMember::Places::all : PeerMember::Places::none);
    EXPECT_EQ(gpu.launched("all_reduce_one_shot"), 0);
    member.run(sum_of_two(4));
    EXPECT_EQ(gpu.launched("all_reduce_one_shot"), 1);
    member.group().close();
  });
  EXPECT_THAT(thrown, Each(""));
}

TEST(PeerCollectives, MoreMemoryIsGivenToTheOthersToo) {
  compile_first({kSumOfTwo});
  const auto thrown = run_gpus(2, [&](HostBackend& backend, GpuOfRank& gpu) {
    PeerMember member(backend, gpu);
    for (int round = 0; round < 3; ++round) member.run(sum_of_two(1000));
    member.set_memory(std::size_t{6} << 20);
    for (int round = 0; round < 3; ++round) member.run(sum_of_two(1000));
    EXPECT_EQ(gpu.launched("all_reduce_one_shot"), 4);
    member.group().close();
  });
  EXPECT_THAT(thrown, Each(""));
}

TEST(PeerCollectives, ALargeOneIsNccls) {
  compile_first({kSumOfTwo});
  const auto thrown = run_gpus(2, [&](HostBackend& backend, GpuOfRank& gpu) {
    PeerMember member(backend, gpu);
    member.set_memory(std::size_t{8} << 20);
    const Exchange large = exchange_of(2, CollectiveKind::all_reduce, DType::i32, 300'000);
    for (int round = 0; round < 3; ++round) member.run(large);
    EXPECT_EQ(gpu.launched("all_reduce"), 0);
    member.group().close();
  });
  EXPECT_THAT(thrown, Each(""));
}

TEST(PeerCollectives, AGroupMayAskForOneWay) {
  compile_first({{.kind = CommKernel::Kind::all_reduce_one_shot, .dtype = DType::i32}});
  const auto thrown = run_gpus(2, [&](HostBackend& backend, GpuOfRank& gpu) {
    PeerMember member(backend, gpu);
    member.set_memory(std::size_t{8} << 20);
    member.set_one_shot_up_to(kAlways);
    const Exchange large = exchange_of(2, CollectiveKind::all_reduce, DType::i32, 300'000);
    for (int round = 0; round < 2; ++round) member.run(large);
    EXPECT_EQ(gpu.launched("all_reduce_one_shot"), 1);
    member.group().close();
  });
  EXPECT_THAT(thrown, Each(""));
}

TEST(PeerCollectives, TheTableSaysUpToWhichSize) {
  compile_first({{.kind = CommKernel::Kind::all_reduce_two_shot, .dtype = DType::i32}});
  const auto table = runtime::AlgorithmTable::parse(
      "all_reduce  *  i32  2  64K  never  never  never  2M\n"
      "*           *  *    *  64K  never  never  never  never\n",
      "table");
  const auto thrown = run_gpus(
      2,
      [&](HostBackend& backend, GpuOfRank& gpu) {
        PeerMember member(backend, gpu);
        member.set_memory(std::size_t{8} << 20);
        const Exchange large = exchange_of(2, CollectiveKind::all_reduce, DType::i32, 300'000);
        for (int round = 0; round < 3; ++round) member.run(large);
        EXPECT_EQ(gpu.launched("all_reduce_two_shot"), 2);
        for (int round = 0; round < 3; ++round) member.run(sum_of_two(1000));
        EXPECT_EQ(gpu.launched("all_reduce"), 0);
        member.group().close();
      },
      test::FakeCuda::folder(), runtime::some_gpus(), table);
  EXPECT_THAT(thrown, Each(""));
}

// What one member can't, no member does.
TEST(PeerCollectives, WhereOneMemberReachesNobodyAllStayWithNccl) {
  const auto thrown = run_gpus(3, [&](HostBackend& backend, GpuOfRank& gpu) {
    if (backend.rank() == 1) gpu.isolate();
    PeerMember member(backend, gpu);
    const Exchange sum = exchange_of(3, CollectiveKind::all_reduce, DType::i32, 100);
    for (int round = 0; round < 3; ++round) member.run(sum);
    EXPECT_EQ(gpu.launched("all_reduce"), 0);
    member.group().close();
  });
  EXPECT_THAT(thrown, Each(""));
}

TEST(PeerCollectives, WhatTheDriverRefusesOneMemberLeavesAllWithNccl) {
  for (const char* const function :
       {"cuMemExportToShareableHandle", "cuMemImportFromShareableHandle", "cuMemHostAlloc",
        "cuMemRetainAllocationHandle"}) {
    const auto thrown = run_gpus(2, [&](HostBackend& backend, GpuOfRank& gpu) {
      if (backend.rank() == 1) {
        gpu.put(std::vector<std::byte>(4));  // what copies need is there
        gpu.fail_driver(function, 1, CUDA_ERROR_NOT_PERMITTED);
      }
      PeerMember member(backend, gpu);
      const Exchange sum = exchange_of(2, CollectiveKind::all_reduce, DType::i32, 100);
      for (int round = 0; round < 3; ++round) member.run(sum);
      EXPECT_EQ(gpu.launched("all_reduce"), 0);
      member.group().close();
    });
    EXPECT_THAT(thrown, Each("")) << function;
  }
}

// The others' kernels wait for one that never comes, and end.
TEST(PeerCollectives, ARankThatDiesFreesTheOthers) {
  compile_first({{.kind = CommKernel::Kind::all_reduce_one_shot, .members = 3}});
  const auto thrown = run_gpus(3, [&](HostBackend& backend, GpuOfRank& gpu) {
    PeerMember member(backend, gpu);
    const Exchange sum = exchange_of(3, CollectiveKind::all_reduce, DType::f32, 1000);
    for (int round = 0; round < 2; ++round) member.run(sum);
    const auto work = member.start(sum);
    if (backend.rank() == 1) std::_Exit(7);  // announced, and its kernel does not run
    work->wait();
    gpu.get(*work->result(0), 4);
    ADD_FAILURE() << "there is a result";
  });
  EXPECT_EQ(thrown[1], "exit code 7");
  EXPECT_THAT(thrown[0], HasSubstr("rank 1"));
  EXPECT_THAT(thrown[2], HasSubstr("rank 1"));
}

TEST(PeerCollectives, AnAbortEndsWhatWaits) {
  compile_first({kSumOfTwo});
  const auto thrown = run_gpus(2, [&](HostBackend& backend, GpuOfRank& gpu) {
    PeerMember member(backend, gpu);
    for (int round = 0; round < 2; ++round) member.run(sum_of_two(1000));
    const auto work = member.start(sum_of_two(1000));
    if (backend.rank() == 1) {
      member.group().abort("enough");
      return;
    }
    work->wait();
    gpu.get(*work->result(0), 4);
  });
  EXPECT_THAT(thrown[0], HasSubstr("enough"));
}

TEST(PeerCollectives, ALaunchThatIsRefusedIsAnErrorOfAllRanks) {
  compile_first({kSumOfTwo});
  const auto thrown = run_gpus(2, [&](HostBackend& backend, GpuOfRank& gpu) {
    PeerMember member(backend, gpu);
    for (int round = 0; round < 2; ++round) member.run(sum_of_two(1000));
    if (backend.rank() == 1) gpu.fail_driver("cuLaunchKernel", 1, CUDA_ERROR_LAUNCH_FAILED);
    const auto work = member.start(sum_of_two(1000));
    work->wait();
    gpu.get(*work->result(0), 4);
    ADD_FAILURE() << "there is a result";
  });
  EXPECT_THAT(thrown, Each(HasSubstr("cuLaunchKernel failed")));
}

}  // namespace
}  // namespace tutti::codegen::cuda::peer_collectives_test
