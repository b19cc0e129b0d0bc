#include <array>
#include <string>
#include <vector>

#include "tests/codegen/cuda/peer_collective_testing.h"
#include <gmock/gmock.h>

// Collectives by kernels of our own in groups of many, of some ranks, in any order and beside each
// other, of sizes that are no whole packs. On the doubles of the driver, NVRTC and NCCL.
namespace tutti::codegen::cuda::many_members_test {
namespace {

using runtime::CollectiveKind;
using runtime::CommKernel;
using runtime::Exchange;
using runtime::GpuOfRank;
using runtime::HostBackend;
using runtime::run_gpus;
using testing::Each;
using Kind = CommKernel::Kind;

class ManyMembers : public testing::TestWithParam<int> {};

TEST_P(ManyMembers, HaveTheHostsBits) {
  const int ranks = GetParam();
  const auto kernel = [=](Kind kind, DType dtype, int bytes) {
    return CommKernel{.kind = kind, .dtype = dtype, .members = ranks, .bytes_at_once = bytes};
  };
  compile_first({kernel(Kind::all_reduce_one_shot, DType::f16, 16),
                 kernel(Kind::all_reduce_two_shot, DType::u8, 16),
                 kernel(Kind::all_reduce_multimem, DType::f32, 16),
                 kernel(Kind::all_gather, DType::u8, 1),
                 kernel(Kind::reduce_scatter, DType::u8, 1)});
  const Exchange first = exchange_of(ranks, CollectiveKind::all_reduce, DType::i32, 8);
  const Exchange halves = exchange_of(ranks, CollectiveKind::all_reduce, DType::f16, 333);
  const Exchange bytes = exchange_of(ranks, CollectiveKind::all_reduce, DType::u8, 1001);
  const Exchange large = exact_sum(ranks, DType::f32, 75'000);
  const std::array moved = {exchange_of(ranks, CollectiveKind::all_gather, DType::boolean, 7),
                            exchange_of(ranks, CollectiveKind::reduce_scatter, DType::u8, 5)};
  FakeCudaSetup setup = runtime::some_gpus();
  setup.devices = ranks;
  const auto thrown = run_gpus(
      ranks,
      [&](HostBackend& backend, GpuOfRank& gpu) {
        PeerMember member(backend, gpu);
        member.set_memory(std::size_t{2} << 20);
        member.run(first);  // by NCCL
        member.run(halves);
        member.run(bytes, PeerMember::Places::in_place);
        member.run(large);
        for (const Exchange& each : moved) member.run(each);
        EXPECT_EQ(gpu.launched(""), 5);
        member.group().close();
      },
      test::FakeCuda::folder(), setup);
  EXPECT_THAT(thrown, Each(""));
}

INSTANTIATE_TEST_SUITE_P(Ranks, ManyMembers, testing::Values(5, 8));

// The order of the members is that of the sum, whatever the ranks are.
TEST(SomeMembers, StandInTheirOwnOrder) {
  const std::vector<std::int64_t> members = {3, 0, 2};
  compile_first({{.kind = Kind::all_reduce_one_shot, .members = 3},
                 {.kind = Kind::all_gather, .dtype = DType::u8, .members = 3, .bytes_at_once = 4},
                 {.kind = Kind::reduce_scatter, .members = 3, .bytes_at_once = 4}});
  const auto thrown = run_gpus(4, [&](HostBackend& backend, GpuOfRank& gpu) {
    if (backend.rank() == 1) return;
    PeerMember member(backend, gpu, members);
    member.run(exchange_of(3, CollectiveKind::all_reduce, DType::i32, 8));
    for (const CollectiveKind kind :
         {CollectiveKind::all_reduce, CollectiveKind::all_gather, CollectiveKind::reduce_scatter}) {
      member.run(exchange_of(3, kind, DType::f32, 1001));
    }
    EXPECT_EQ(gpu.launched(""), 3);
    member.group().close();
  });
  EXPECT_THAT(thrown, Each(""));
}

// Each group has memory and counts of its own.
TEST(SomeMembers, OfTwoGroupsTakeTurns) {
  compile_first({{.kind = Kind::all_reduce_one_shot, .members = 3},
                 {.kind = Kind::all_reduce_one_shot, .members = 2}});
  const auto thrown = run_gpus(3, [&](HostBackend& backend, GpuOfRank& gpu) {
    PeerMember all(backend, gpu);
    const Exchange of_all = exchange_of(3, CollectiveKind::all_reduce, DType::f32, 500);
    const Exchange of_two = exchange_of(2, CollectiveKind::all_reduce, DType::f32, 5003);
    if (backend.rank() == 0) {
      for (int round = 0; round < 5; ++round) all.run(of_all);
    } else {
      PeerMember two(backend, gpu, {2, 1});
      for (int round = 0; round < 5; ++round) {
        all.run(of_all);
        two.run(of_two);
        two.run(of_two, PeerMember::Places::others);
      }
      two.group().close();
    }
    EXPECT_EQ(gpu.launched("all_reduce_one_shot"), backend.rank() == 0 ? 4 : 13);
    all.group().close();
  });
  EXPECT_THAT(thrown, Each(""));
}

// The others know how far a place lies behind the beginning of one memory.
TEST(SomeMembers, WhoUseTwoMemoriesInOneCallStayWithNccl) {
  const auto thrown = run_gpus(2, [&](HostBackend& backend, GpuOfRank& gpu) {
    PeerMember member(backend, gpu);
    const Exchange sum = exchange_of(2, CollectiveKind::all_reduce, DType::i32, 1000);
    for (int round = 0; round < 3; ++round) member.run(sum, PeerMember::Places::apart);
    EXPECT_EQ(gpu.launched("all_reduce"), 0);
    member.group().close();
  });
  EXPECT_THAT(thrown, Each(""));
}

}  // namespace
}  // namespace tutti::codegen::cuda::many_members_test
