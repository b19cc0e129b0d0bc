#include <tutti/codegen/cuda/fuse_collectives.h>
#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/recorded_calls.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/codegen/cuda/companion_kernels.h"
#include "tests/codegen/cuda/fused_comm_testing.h"
#include "tests/codegen/cuda/peer_collective_testing.h"
#include <gmock/gmock.h>
#include <unistd.h>

// Kernels that are a collective between GPUs and what follows it in one, between processes with a
// GPU each, on the doubles of the driver, NVRTC and NCCL.
namespace tutti::codegen::cuda::peer_epilogues_test {
namespace {

using kernel_testing::following;
using runtime::CollectiveKind;
using runtime::CommKernel;
using runtime::Exchange;
using runtime::GpuOfRank;
using runtime::HostBackend;
using runtime::Reduction;
using runtime::run_gpus;
using testing::Each;
using testing::HasSubstr;

using Kind = CommKernel::Kind;

constexpr runtime::Companions kFollower = {.leader = false, .follower = true};

// A collective, what follows it, and its other operands.
struct Following {
  Exchange exchange;
  FollowerWithOperands follower;
  std::shared_ptr<const FusedKernelsOfDoubles> kernels;

  Following(Exchange of, DType dtype, DType other, std::int64_t rows, std::int64_t columns)
      : exchange(std::move(of)),
        follower{.kernel = following(dtype, other, rows, columns),
                 .bias = test::random_operand(dtype, columns, 17),
                 .factor = test::random_operand(dtype, rows * columns, 18)},
        kernels(std::make_shared<FusedKernelsOfDoubles>(
            std::nullopt, CommCompanion{.kernel = follower.kernel, .shared = 0})) {
    EXPECT_TRUE(goes_along(follower.kernel, 0, rows * columns));
  }

  // Whether it was one kernel, whose results are right then.
  bool run(PeerMember& member, GpuOfRank& gpu,
           PeerMember::Places places = PeerMember::Places::all) const {
    runtime::BoundFollower bound = follower.bind(gpu, kernels);
    if (!member.run(exchange, bound, places)) return false;
    const auto position = static_cast<std::size_t>(member.position());
    follower.expect_results(gpu, bound, exchange.expected[0][position], exchange.text());
    return true;
  }
};

class EpiloguesOfRanks : public testing::TestWithParam<int> {};

TEST_P(EpiloguesOfRanks, OfSumsOfAllDtypesHaveTheHostsBits) {
  const int ranks = GetParam();
  std::vector<Following> all;
  for (const auto& [dtype, other, rows, columns] : kernel_testing::companion_cases()) {
    all.emplace_back(exchange_of(ranks, CollectiveKind::all_reduce, dtype, rows * columns), dtype,
                     other, rows, columns);
    all.back().kernels->with({.kind = Kind::all_reduce_one_shot, .dtype = dtype, .members = ranks},
                             kFollower, "sm_90");
  }
  const auto thrown = run_gpus(ranks, [&](HostBackend& backend, GpuOfRank& gpu) {
    PeerMember member(backend, gpu);
    EXPECT_FALSE(all[0].run(member, gpu));  // by NCCL
    for (const Following& each : all) EXPECT_TRUE(each.run(member, gpu)) << each.exchange.text();
    EXPECT_EQ(gpu.launched("all_reduce_one_shot_then_add_mul"), static_cast<int>(all.size()));
    member.group().close();
  });
  EXPECT_THAT(thrown, Each(""));
}

TEST_P(EpiloguesOfRanks, OfOtherCombinationsGathersAndScatters) {
  const int ranks = GetParam();
  std::vector<Following> all;
  const auto add = [&](CollectiveKind kind, DType dtype, std::int64_t rows, std::int64_t columns,
                       Reduction reduction) {
    const std::int64_t parts = kind == CollectiveKind::all_gather ? ranks : 1;
    all.emplace_back(exchange_of(ranks, kind, dtype, rows * columns, reduction), dtype, DType::f32,
                     parts * rows, columns);
  };
  for (const Reduction reduction : {Reduction::max, Reduction::product}) {
    add(CollectiveKind::all_reduce, DType::f32, 5, 31, reduction);
  }
  for (const CollectiveKind kind : {CollectiveKind::all_gather, CollectiveKind::reduce_scatter}) {
    add(kind, DType::f32, 3, 64, Reduction::sum);
    add(kind, DType::f32, 9, 7, Reduction::sum);
    add(kind, DType::bf16, 5, 3, Reduction::sum);
    add(kind, DType::i64, 2, 3, Reduction::sum);
  }
  const auto thrown = run_gpus(ranks, [&](HostBackend& backend, GpuOfRank& gpu) {
    PeerMember member(backend, gpu);
    EXPECT_FALSE(all[0].run(member, gpu));
    for (const Following& each : all) EXPECT_TRUE(each.run(member, gpu)) << each.exchange.text();
    const std::string log = gpu.operations();
    for (const char* const kind : {"all_reduce_one_shot", "all_gather", "reduce_scatter"}) {
      EXPECT_THAT(log, HasSubstr(std::string(kind) + "_then_add_mul_"));
    }
    member.group().close();
  });
  EXPECT_THAT(thrown, Each(""));
}

INSTANTIATE_TEST_SUITE_P(Ranks, EpiloguesOfRanks, testing::Values(2, 4));

Following sum_then_add(int ranks) {
  return {exchange_of(ranks, CollectiveKind::all_reduce, DType::f32, 1000), DType::f32, DType::f32,
          25, 40};
}

// Its blocks meet those of the others' kernels, which do nothing else.
TEST(PeerEpilogues, MembersNeedNotAgreeAboutIt) {
  const Following sum = sum_then_add(2);
  const CommKernel kernel = {.kind = Kind::all_reduce_one_shot, .members = 2};
  sum.kernels->with(kernel, kFollower, "sm_90");
  compile_first({kernel});
  const auto thrown = run_gpus(2, [&](HostBackend& backend, GpuOfRank& gpu) {
    PeerMember member(backend, gpu);
    sum.run(member, gpu);
    for (int round = 0; round < 6; ++round) {
      if ((round + backend.rank()) % 2 == 0) {
        EXPECT_TRUE(sum.run(member, gpu));
      } else {
        member.run(sum.exchange);
      }
    }
    EXPECT_EQ(gpu.launched("all_reduce_one_shot_then_"), 3);
    member.group().close();
  });
  EXPECT_THAT(thrown, Each(""));
}

TEST(PeerEpilogues, WhereNoKernelOfOursServesItIsTheCallers) {
  const Following sum = sum_then_add(3);
  const auto thrown = run_gpus(3, [&](HostBackend& backend, GpuOfRank& gpu) {
    if (backend.rank() == 1) gpu.isolate();
    PeerMember member(backend, gpu);
    for (int round = 0; round < 3; ++round) EXPECT_FALSE(sum.run(member, gpu));
    EXPECT_EQ(gpu.launched("all_reduce"), 0);
    member.group().close();
  });
  EXPECT_THAT(thrown, Each(""));
}

// That is nothing to the others.
TEST(PeerEpilogues, WhatCanNotBeCompiledIsTheCallers) {
  const Following sum = sum_then_add(2);
  const CommKernel kernel = {.kind = Kind::all_reduce_one_shot, .members = 2};
  sum.kernels->with(kernel, kFollower, "sm_90");
  compile_first({kernel});
  const auto thrown = run_gpus(2, [&](HostBackend& backend, GpuOfRank& gpu) {
    PeerMember member(backend, gpu);
    sum.run(member, gpu);
    for (int round = 0; round < 3; ++round) {
      if (backend.rank() == 0) {
        EXPECT_TRUE(sum.run(member, gpu));
        continue;
      }
      runtime::BoundFollower follower{.kernels = std::make_shared<NothingFused>()};
      EXPECT_FALSE(member.run(sum.exchange, follower));
    }
    gpu->synchronize();
    EXPECT_EQ(gpu.launched("all_reduce_one_shot"), 3);
    member.group().close();
  });
  EXPECT_THAT(thrown, Each(""));
}

TEST(PeerEpilogues, BehindAKernelOfAnotherKindItIsTheCallers) {
  const Following sum = sum_then_add(2);
  compile_first({{.kind = Kind::all_reduce_two_shot, .members = 2}});
  const auto thrown = run_gpus(2, [&](HostBackend& backend, GpuOfRank& gpu) {
    PeerMember member(backend, gpu);
    member.set_one_shot_up_to(-1);
    for (int round = 0; round < 3; ++round) EXPECT_FALSE(sum.run(member, gpu));
    gpu->synchronize();
    EXPECT_EQ(gpu.launched("all_reduce_two_shot"), 2);
    member.group().close();
  });
  EXPECT_THAT(thrown, Each(""));
}

TEST(PeerEpilogues, ALaunchThatIsRefusedIsAnErrorOfAllRanks) {
  const Following sum = sum_then_add(2);
  sum.kernels->with({.kind = Kind::all_reduce_one_shot, .members = 2}, kFollower, "sm_90");
  const auto thrown = run_gpus(2, [&](HostBackend& backend, GpuOfRank& gpu) {
    PeerMember member(backend, gpu);
    for (int round = 0; round < 2; ++round) sum.run(member, gpu);
    if (backend.rank() == 1) gpu.fail_driver("cuLaunchKernel", 1, CUDA_ERROR_LAUNCH_FAILED);
    sum.run(member, gpu);
    ADD_FAILURE() << "there is a result";
  });
  EXPECT_THAT(thrown, Each(HasSubstr("cuLaunchKernel failed")));
}

constexpr std::size_t kGroupBytes = std::size_t{1} << 19;

// A rank of a group that records a sum of two with what follows it.
class RecordingMember {
 public:
  RecordingMember(const Following& sum, HostBackend& backend, GpuOfRank& gpu)
      : gpu_(gpu),
        group_(backend.communicator(runtime::first_ranks(backend.ranks()), "all", "nccl")),
        memory_(group_->symmetric_memory(kGroupBytes, &*gpu)),
        call_(prepared(sum)),
        recorded_(group_->record_calls({call_}, *gpu)),
        follower_(sum.follower.bind(gpu, sum.kernels)) {
    const test::Bytes& own = sum.exchange.operands[0][static_cast<std::size_t>(backend.rank())];
    const auto operand = memory_->at(0, own.size());
    gpu->copy(operand->data(), gpu.put(own)->data(), own.size());
    places_ = {{.operands = {operand}, .results = {memory_->at(kGroupBytes / 2, own.size())}}};
  }

  runtime::RecordedCalls& recorded() { return *recorded_; }
  std::span<const runtime::RecordedCalls::Places> places() const { return places_; }
  runtime::Communicator& group() { return *group_; }
  // By itself; whether one kernel did all.
  bool launch() { return wait(*group_->start(call_, places_[0].operands, options())); }
  // In a recording, which is to be replayed.
  void record() {
    EXPECT_EQ(begin(), runtime::RecordedCalls::Way::recorded);
    EXPECT_TRUE(wait(*recorded_->supply(places_[0].operands)));
    recorded_->end();
    EXPECT_TRUE(recorded_->fused(0) == kFollower);
    recorded_->joined() =
        gpu_->join({{.part = recorded_->fused_part(0, *follower_.kernels, follower_.arguments),
                     .behind = {}}});
  }
  runtime::RecordedCalls::Way begin() {
    if (!recorded_->is_recorded(places_)) recorded_->get_ready(places_);
    return recorded_->begin(1, options());
  }

 private:
  std::shared_ptr<const runtime::PreparedCall> prepared(const Following& sum) const {
    runtime::CollectiveCall call = sum.exchange.call(group_->position());
    call.description = sum.exchange.text();
    call.one_shot_up_to = 65536;
    return group_->prepare(std::move(call));
  }
  runtime::StartOptions options() const {
    return {.results = places_[0].results,
            .accelerator = &*gpu_,
            .comm_kernels = &KernelsOfDoubles::process(),
            .recorded = recorded_,
            .number_in_recording = 0};
  }
  bool wait(runtime::Work& work) {
    follower_.done = false;
    work.follow_with(&follower_);
    work.wait();
    work.follow_with(nullptr);
    return follower_.done;
  }

  GpuOfRank& gpu_;
  const std::shared_ptr<runtime::Communicator> group_;
  const std::shared_ptr<runtime::SymmetricMemory> memory_;
  const std::shared_ptr<const runtime::PreparedCall> call_;
  const std::shared_ptr<runtime::RecordedCalls> recorded_;
  runtime::BoundFollower follower_;
  std::vector<runtime::RecordedCalls::Places> places_;
};

// Whatever becomes of the recording and the group, as where a rank dies.
TEST(PeerEpilogues, TheOthersMemoryStaysUntilAReplayIsOver) {
  const Following sum = sum_then_add(2);
  sum.kernels->with({.kind = Kind::all_reduce_one_shot, .members = 2}, kFollower, "sm_90");
  std::array<int, 2> begun{};  // a pipe
  ASSERT_EQ(pipe(begun.data()), 0);
  const auto thrown = run_gpus(2, [&](HostBackend& backend, GpuOfRank& gpu) {
    RecordingMember member(sum, backend, gpu);
    for (int round = 0; round < 3; ++round) EXPECT_EQ(member.launch(), round > 0);
    EXPECT_TRUE(member.recorded().is_warm(member.places()));
    member.record();
    gpu->synchronize();
    EXPECT_EQ(member.begin(), runtime::RecordedCalls::Way::replayed);
    char byte = 0;
    if (backend.rank() == 1) {
      EXPECT_EQ(read(begun[0], &byte, 1), 1);
      std::_Exit(7);  // announced, and its kernel does not run
    }
    EXPECT_EQ(write(begun[1], &byte, 1), 1);
    member.recorded().replay();
    EXPECT_THROW(gpu->synchronize(), CommError);
    EXPECT_THROW(member.group().close(), CommError);
    // The double knows that a kernel is over when a call looks at its stream, at the earliest.
    throw std::runtime_error("complaints: " + gpu.driver_complaints());
  });
  EXPECT_EQ(thrown[0], "complaints: ");
  EXPECT_EQ(thrown[1], "exit code 7");
  for (const int end : begun) close(end);
}

}  // namespace
}  // namespace tutti::codegen::cuda::peer_epilogues_test
