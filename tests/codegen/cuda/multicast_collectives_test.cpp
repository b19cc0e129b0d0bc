#include <array>
#include <string>
#include <utility>
#include <vector>

#include "tests/codegen/cuda/peer_collective_testing.h"
#include <gmock/gmock.h>

// Sums and gathers by the switch between GPUs (decision 64), between processes with a GPU each, on
// the doubles of the driver, NVRTC and NCCL.
namespace tutti::codegen::cuda::multicast_collectives_test {
namespace {

using runtime::CollectiveKind;
using runtime::CommKernel;
using runtime::Exchange;
using runtime::GpuOfRank;
using runtime::HostBackend;
using runtime::Reduction;
using runtime::run_gpus;
using testing::Each;

class MulticastCollectivesOfRanks : public testing::TestWithParam<int> {};

// Above what each computes for itself, where the members' memory is multicast memory.
TEST_P(MulticastCollectivesOfRanks, TheSwitchSumsLargerOnes) {
  const int ranks = GetParam();
  std::vector<CommKernel> kernels;
  std::vector<Exchange> exchanges;
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    kernels.push_back(
        {.kind = CommKernel::Kind::all_reduce_multimem, .dtype = dtype, .members = ranks});
    for (const std::int64_t bytes : {600'000, 1'200'016}) {
      exchanges.push_back(exact_sum(ranks, dtype, bytes / size_of(dtype)));
    }
  }
  compile_first(kernels);
  const auto thrown = run_gpus(ranks, [&](HostBackend& backend, GpuOfRank& gpu) {
    PeerMember member(backend, gpu);
    member.set_memory(std::size_t{4} << 20);
    member.run(exchange_of(ranks, CollectiveKind::all_reduce, DType::i32, 8));
    for (const Exchange& exchange : exchanges) {
      member.run(exchange);
      member.run(exchange, PeerMember::Places::in_place);
    }
    // Between two the switch saves nothing.
    EXPECT_EQ(gpu.launched("all_reduce_multimem"),
              ranks > 2 ? static_cast<int>(2 * exchanges.size()) : 0);
    member.group().close();
  });
  EXPECT_THAT(thrown, Each(""));
}

// Above what each reads from the others.
TEST_P(MulticastCollectivesOfRanks, TheSwitchGathersAndScattersLargerOnes) {
  const int ranks = GetParam();
  std::vector<CommKernel> kernels = {
      {.kind = CommKernel::Kind::all_gather_multimem, .dtype = DType::u8, .members = ranks}};
  std::vector<Exchange> gathers;
  std::vector<Exchange> scatters;
  const std::int64_t bytes = 1'200'000 / ranks / 16 * 16;  // of a part
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    kernels.push_back(
        {.kind = CommKernel::Kind::reduce_scatter_multimem, .dtype = dtype, .members = ranks});
    scatters.push_back(
        exact_sum(ranks, dtype, bytes / size_of(dtype), CollectiveKind::reduce_scatter));
    gathers.push_back(
        exchange_of(ranks, CollectiveKind::all_gather, dtype, bytes / size_of(dtype)));
  }
  gathers.push_back(exchange_of(ranks, CollectiveKind::all_gather, DType::boolean, bytes));
  compile_first(kernels);
  const auto thrown = run_gpus(ranks, [&](HostBackend& backend, GpuOfRank& gpu) {
    PeerMember member(backend, gpu);
    member.set_memory(std::size_t{4} << 20);
    member.run(exchange_of(ranks, CollectiveKind::all_reduce, DType::i32, 8));
    for (int round = 0; round < 2; ++round) {
      for (const Exchange& exchange : gathers) member.run(exchange);
      EXPECT_EQ(gpu.launched("all_gather_multimem"), ranks > 2 ? std::ssize(gathers) : 0);
      for (const Exchange& exchange : scatters) member.run(exchange);
      EXPECT_EQ(gpu.launched("reduce_scatter_multimem"), ranks > 2 ? std::ssize(scatters) : 0);
    }
    // Parts that are no whole packs, and a product.
    if (ranks > 2) {
      member.run(exchange_of(ranks, CollectiveKind::all_gather, DType::boolean, bytes + 1));
      member.run(exchange_of(ranks, CollectiveKind::reduce_scatter, DType::i32, bytes / 4,
                             Reduction::product));
    }
    EXPECT_EQ(gpu.launched("multimem"), 0);
    member.group().close();
  });
  EXPECT_THAT(thrown, Each(""));
}

INSTANTIATE_TEST_SUITE_P(Ranks, MulticastCollectivesOfRanks, testing::Values(2, 4));

TEST(MulticastCollectives, WhatIsNotOfThatKindIsNotSummedByTheSwitch) {
  const auto kernel = [](DType dtype) {
    return CommKernel{.kind = CommKernel::Kind::all_reduce_two_shot, .dtype = dtype, .members = 3};
  };
  compile_first({kernel(DType::f32), kernel(DType::i32)});
  const auto thrown = run_gpus(3, [&](HostBackend& backend, GpuOfRank& gpu) {
    PeerMember member(backend, gpu);
    member.set_memory(std::size_t{4} << 20);
    member.run(exchange_of(3, CollectiveKind::all_reduce, DType::i32, 8));
    member.run(exchange_of(3, CollectiveKind::all_reduce, DType::i32, 150'000));
    member.run(exact_sum(3, DType::f32, 150'001));  // no whole packs
    member.set_one_shot_up_to(-1);                  // in the order of the members, that is
    member.run(exchange_of(3, CollectiveKind::all_reduce, DType::f32, 150'000));
    EXPECT_EQ(gpu.launched("all_reduce_two_shot"), 3);
    EXPECT_EQ(gpu.launched("all_reduce_multimem"), 0);
    member.group().close();
  });
  EXPECT_THAT(thrown, Each(""));
}

// What one member has not, no member uses.
TEST(MulticastCollectives, WhereOneHasNoMulticastMemoryAllSumAsBefore) {
  compile_first(
      {{.kind = CommKernel::Kind::all_reduce_two_shot, .dtype = DType::f32, .members = 3}});
  const std::pair<const char*, int> failures[] = {
      {"cuMulticastCreate", 0},    {"cuMulticastGetGranularity", 0}, {"cuMulticastAddDevice", 0},
      {"cuMulticastAddDevice", 2}, {"cuMulticastBindMem", 1},        {"cuMulticastBindMem", 0}};
  for (const auto& [function, rank] : failures) {
    const auto thrown = run_gpus(3, [&](HostBackend& backend, GpuOfRank& gpu) {
      if (backend.rank() == rank) gpu.fail_driver(function, 1, CUDA_ERROR_NOT_PERMITTED);
      PeerMember member(backend, gpu);
      member.set_memory(std::size_t{4} << 20);
      const Exchange sum = exact_sum(3, DType::f32, 150'000);
      for (int round = 0; round < 3; ++round) member.run(sum);
      EXPECT_EQ(gpu.launched("all_reduce_two_shot"), 2);
      member.group().close();
    });
    EXPECT_THAT(thrown, Each("")) << function << " of rank " << rank;
  }
}

// Slabs are of other pieces than the switch wants.
TEST(MulticastCollectives, WhereTheMemoryIsNoWholePiecesAllSumAsBefore) {
  compile_first(
      {{.kind = CommKernel::Kind::all_reduce_two_shot, .dtype = DType::f32, .members = 3},
       {.kind = CommKernel::Kind::all_reduce_multimem, .dtype = DType::f32, .members = 3}});
  for (const int pieces : {1, 2}) {
    FakeCudaSetup setup = runtime::some_gpus();
    setup.multicast_unit = static_cast<std::size_t>(pieces) << 21;
    const auto thrown = run_gpus(
        3,
        [&](HostBackend& backend, GpuOfRank& gpu) {
          PeerMember member(backend, gpu);
          member.set_memory(std::size_t{4} << 20);  // 6 MiB with the words
          const Exchange sum = exact_sum(3, DType::f32, 150'000);
          for (int round = 0; round < 3; ++round) member.run(sum);
          const int by_switch = gpu.launched("all_reduce_multimem");
          EXPECT_EQ(by_switch, 6 % (2 * pieces) == 0 ? 2 : 0);
          member.group().close();
        },
        test::FakeCuda::folder(), setup);
    EXPECT_THAT(thrown, Each("")) << pieces;
  }
}

}  // namespace
}  // namespace tutti::codegen::cuda::multicast_collectives_test
