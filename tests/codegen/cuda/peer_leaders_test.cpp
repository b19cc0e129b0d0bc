#include <tutti/codegen/cuda/emit_kernel.h>
#include <tutti/codegen/cuda/fuse_collectives.h>
#include <tutti/ir/scalar.h>

#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/codegen/cuda/companion_kernels.h"
#include "tests/codegen/cuda/fused_comm_testing.h"
#include "tests/codegen/cuda/peer_collective_testing.h"
#include <gmock/gmock.h>

// Kernels that are a collective between GPUs and what makes its operand in one, between processes
// with a GPU each, on the doubles of the driver, NVRTC and NCCL.
namespace tutti::codegen::cuda::peer_leaders_test {
namespace {

using kernel_testing::following;
using kernel_testing::leading;
using runtime::CollectiveKind;
using runtime::CommKernel;
using runtime::Companions;
using runtime::Exchange;
using runtime::GpuOfRank;
using runtime::HostBackend;
using runtime::run_gpus;
using testing::Each;
using testing::HasSubstr;

using Kind = CommKernel::Kind;

constexpr Companions kLeader = {.leader = true, .follower = false};
constexpr Companions kBoth = {.leader = true, .follower = true};

// Without special values: which of two NaN is the sum's, compilers choose.
test::Bytes finite_operand(DType dtype, std::int64_t elements, unsigned seed) {
  test::Bytes out = test::random_operand(dtype, elements, seed);
  if (!is_floating(dtype)) return out;
  std::minstd_rand random(seed);
  for (std::int64_t i = 0; i < elements; ++i) {
    const double value = std::ldexp(static_cast<double>(random() % 4096) - 2048,
                                    static_cast<int>(random() % 8) - 11);
    ir::store_cell(dtype, ir::cell_of(ir::compute_dtype(dtype), value),
                   out.data() + i * size_of(dtype));
  }
  return out;
}

// A collective, what makes its operand of other values on each member, and what follows it.
struct Led {
  struct Inputs {
    test::Bytes bias;
    test::Bytes second;
    test::Bytes factor;
  };

  Exchange exchange;
  Kernel leader;
  FollowerWithOperands follower;
  std::vector<Inputs> inputs = {};  // by member
  std::shared_ptr<const FusedKernelsOfDoubles> kernels = nullptr;
  std::shared_ptr<const runtime::DeviceCode> alone = nullptr;

  // `rows` of the operand, and of the result.
  Led(Exchange of, DType dtype, DType other, std::int64_t rows, std::int64_t result_rows,
      std::int64_t columns)
      : exchange(std::move(of)),
        leader(leading(dtype, other, rows, columns)),
        follower{.kernel = following(dtype, other, result_rows, columns),
                 .bias = finite_operand(dtype, columns, 17),
                 .factor = finite_operand(dtype, result_rows * columns, 18)} {
    EXPECT_TRUE(goes_along(leader, 3, rows * columns));
    std::vector<test::Bytes>& operands = exchange.operands[0];
    for (std::size_t member = 0; member < operands.size(); ++member) {
      const auto seed = static_cast<unsigned>(20 + 10 * member);
      inputs.push_back({.bias = finite_operand(dtype, columns, seed),
                        .second = finite_operand(other, rows * columns, seed + 1),
                        .factor = finite_operand(dtype, rows, seed + 2)});
      Inputs& own = inputs.back();
      EXPECT_EQ(operands[member].size(), static_cast<std::size_t>(rows * columns * size_of(dtype)));
      evaluate(leader, {&own.bias, &own.second, &own.factor, &operands[member]});
    }
    set_expected(exchange);
    kernels = std::make_shared<FusedKernelsOfDoubles>(
        CommCompanion{.kernel = leader, .shared = 3},
        CommCompanion{.kernel = follower.kernel, .shared = 0});
  }

  // Where it may come to that.
  void compile_alone() { alone = code_of_doubles(emit_kernel(leader), "sm_90"); }
  // What is launched, in processes that are forked off later.
  void compile(Companions companions) const {
    const CollectiveKind kind = exchange.spec.kind;
    const auto members = exchange.operands[0].size();
    CommKernel kernel = {.kind = Kind::all_reduce_one_shot,
                         .dtype = exchange.spec.dtype,
                         .members = static_cast<int>(members)};
    std::size_t bytes = exchange.operands[0][0].size();
    if (kind == CollectiveKind::all_gather) {
      kernel.kind = Kind::all_gather;
      kernel.dtype = DType::u8;
    } else if (kind == CollectiveKind::reduce_scatter) {
      kernel.kind = Kind::reduce_scatter;
      bytes /= members;
    }
    while (kind != CollectiveKind::all_reduce &&
           bytes % static_cast<std::size_t>(kernel.bytes_at_once) != 0) {
      kernel.bytes_at_once /= 2;
    }
    kernels->with(kernel, companions, "sm_90");
  }

  runtime::BoundLeader bind(const PeerMember& member, GpuOfRank& gpu,
                            std::shared_ptr<const runtime::FusedCommKernels> by = nullptr) const {
    const Inputs& own = inputs[static_cast<std::size_t>(member.position())];
    runtime::BoundLeader out{.kernels = by == nullptr ? kernels : std::move(by), .alone = alone};
    for (const test::Bytes* const input : {&own.bias, &own.second, &own.factor}) {
      out.held.push_back(gpu.put(*input));
      out.arguments.push_back(out.held.back()->data());
    }
    out.operand = out.arguments.size();
    out.arguments.push_back(nullptr);
    return out;
  }

  // Makes the call with what leads it; its result is compared with the host's.
  void run(PeerMember& member, GpuOfRank& gpu,
           PeerMember::Places places = PeerMember::Places::all) const {
    const runtime::BoundLeader own = bind(member, gpu);
    member.run(exchange, places, &own);
  }

  // With what follows it, too: whether it was one kernel, whose results are right then.
  bool run_with_follower(PeerMember& member, GpuOfRank& gpu) const {
    runtime::BoundFollower last = follower.bind(gpu, kernels);
    const runtime::BoundLeader first = bind(member, gpu);
    if (!member.run(exchange, last, PeerMember::Places::all, &first)) return false;
    const auto position = static_cast<std::size_t>(member.position());
    follower.expect_results(gpu, last, exchange.expected[0][position], exchange.text());
    return true;
  }
};

Led led_sum(int ranks, DType dtype, DType other, std::int64_t rows, std::int64_t columns) {
  return {exchange_of(ranks, CollectiveKind::all_reduce, dtype, rows * columns),
          dtype,
          other,
          rows,
          rows,
          columns};
}

class LeadersOfRanks : public testing::TestWithParam<int> {};

TEST_P(LeadersOfRanks, OfSumsOfAllDtypesHaveTheHostsBits) {
  const int ranks = GetParam();
  std::vector<Led> all;
  for (const auto& [dtype, other, rows, columns] : kernel_testing::companion_cases()) {
    all.push_back(led_sum(ranks, dtype, other, rows, columns));
    all.back().compile(kLeader);
  }
  Led first = led_sum(ranks, DType::i32, DType::i32, 2, 4);
  first.compile_alone();
  const auto thrown = run_gpus(ranks, [&](HostBackend& backend, GpuOfRank& gpu) {
    PeerMember member(backend, gpu);
    first.run(member, gpu);  // by NCCL
    EXPECT_EQ(gpu.launched("sub_mul"), 1);
    for (const Led& each : all) each.run(member, gpu);
    EXPECT_EQ(gpu.launched("all_reduce_one_shot_after_sub_mul"), static_cast<int>(all.size()));
    member.group().close();
  });
  EXPECT_THAT(thrown, Each(""));
}

// More than a grid takes at once, so that each thread makes several packs.
TEST_P(LeadersOfRanks, OfLargeSumsHaveTheHostsBits) {
  const int ranks = GetParam();
  Led sum = led_sum(ranks, DType::i32, DType::f32, 130, 140);
  sum.compile_alone();
  sum.compile(kLeader);
  const auto thrown = run_gpus(ranks, [&](HostBackend& backend, GpuOfRank& gpu) {
    PeerMember member(backend, gpu);
    for (int round = 0; round < 3; ++round) sum.run(member, gpu);
    EXPECT_EQ(gpu.launched("all_reduce_one_shot_after_sub_mul"), 2);
    member.group().close();
  });
  EXPECT_THAT(thrown, Each(""));
}

TEST_P(LeadersOfRanks, OfGathersScattersAndWithWhatFollows) {
  const int ranks = GetParam();
  std::vector<Led> all;
  const auto add = [&](CollectiveKind kind, DType dtype, std::int64_t rows, std::int64_t columns) {
    const std::int64_t operand = kind == CollectiveKind::reduce_scatter ? ranks * rows : rows;
    const std::int64_t result = kind == CollectiveKind::all_gather ? ranks * rows : rows;
    all.emplace_back(exchange_of(ranks, kind, dtype, rows * columns), dtype, DType::f32, operand,
                     result, columns);
  };
  for (const CollectiveKind kind :
       {CollectiveKind::all_gather, CollectiveKind::reduce_scatter, CollectiveKind::all_reduce}) {
    add(kind, DType::f32, 40, 100);
    add(kind, DType::bf16, 5, 3);
    add(kind, DType::i64, 2, 3);
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].compile(kBoth);
    if (i % 3 == 0) all[i].compile(kLeader);
  }
  all[0].compile_alone();
  const auto thrown = run_gpus(ranks, [&](HostBackend& backend, GpuOfRank& gpu) {
    PeerMember member(backend, gpu);
    EXPECT_FALSE(all[0].run_with_follower(member, gpu));  // by NCCL
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_TRUE(all[i].run_with_follower(member, gpu)) << all[i].exchange.text();
      if (i % 3 == 0) all[i].run(member, gpu);
    }
    const std::string log = gpu.operations();
    for (const std::string kind : {"all_reduce_one_shot", "all_gather", "reduce_scatter"}) {
      EXPECT_THAT(log, testing::ContainsRegex(kind + "_after_sub_mul_[0-9a-f]+_then_add_mul_"));
    }
    member.group().close();
  });
  EXPECT_THAT(thrown, Each(""));
}

INSTANTIATE_TEST_SUITE_P(Ranks, LeadersOfRanks, testing::Values(2, 4));

// The same in any order, as NCCL has its own.
Led usual_sum(int ranks) {
  Led out = led_sum(ranks, DType::i32, DType::f32, 25, 40);
  out.compile_alone();
  return out;
}
constexpr CommKernel kUsualSumOfTwo = {
    .kind = Kind::all_reduce_one_shot, .dtype = DType::i32, .members = 2};

TEST(PeerLeaders, MembersNeedNotAgreeAboutThem) {
  const Led sum = usual_sum(2);
  for (const Companions companions : {kLeader, kBoth}) sum.compile(companions);
  compile_first({kUsualSumOfTwo});
  const auto thrown = run_gpus(2, [&](HostBackend& backend, GpuOfRank& gpu) {
    PeerMember member(backend, gpu);
    sum.run(member, gpu);
    for (int round = 0; round < 9; ++round) {
      switch ((round + backend.rank()) % 3) {
        case 0:
          sum.run(member, gpu);
          break;
        case 1:
          EXPECT_TRUE(sum.run_with_follower(member, gpu));
          break;
        default:
          member.run(sum.exchange);
      }
    }
    EXPECT_EQ(gpu.launched("all_reduce_one_shot_after_"), 6);
    member.group().close();
  });
  EXPECT_THAT(thrown, Each(""));
}

// Whoever carries the call out; it comes in front of that.
TEST(PeerLeaders, WhereNoKernelOfOursServesTheyAreLaunchedFirst) {
  const Led sum = usual_sum(3);
  const auto thrown = run_gpus(3, [&](HostBackend& backend, GpuOfRank& gpu) {
    if (backend.rank() == 1) gpu.isolate();
    PeerMember member(backend, gpu);
    for (int round = 0; round < 3; ++round) {
      sum.run(member, gpu);
      sum.run(member, gpu, PeerMember::Places::none);
    }
    const std::string log = gpu.operations();
    EXPECT_THAT(log, HasSubstr("sub_mul"));
    EXPECT_THAT(log, testing::Not(HasSubstr("all_reduce_one_shot")));
    member.group().close();
  });
  EXPECT_THAT(thrown, Each(""));
}

TEST(PeerLeaders, InFrontOfAKernelOfAnotherKindTheyAreLaunchedFirst) {
  const Led sum = usual_sum(2);
  compile_first({{.kind = Kind::all_reduce_two_shot, .dtype = DType::i32, .members = 2}});
  const auto thrown = run_gpus(2, [&](HostBackend& backend, GpuOfRank& gpu) {
    PeerMember member(backend, gpu);
    member.set_one_shot_up_to(-1);
    for (int round = 0; round < 3; ++round) sum.run(member, gpu);
    // In place, too: what is made is what is overwritten.
    sum.run(member, gpu, PeerMember::Places::in_place);
    EXPECT_EQ(gpu.launched("all_reduce_two_shot"), 3);
    member.group().close();
  });
  EXPECT_THAT(thrown, Each(""));
}

// That is nothing to the others.
TEST(PeerLeaders, WhatCanNotBeCompiledIsLaunchedFirst) {
  const Led sum = usual_sum(2);
  sum.compile(kLeader);
  compile_first({kUsualSumOfTwo});
  const auto thrown = run_gpus(2, [&](HostBackend& backend, GpuOfRank& gpu) {
    PeerMember member(backend, gpu);
    sum.run(member, gpu);
    gpu.operations();
    for (int round = 0; round < 3; ++round) {
      if (backend.rank() == 0) {
        sum.run(member, gpu);
        continue;
      }
      const runtime::BoundLeader own = sum.bind(member, gpu, std::make_shared<NothingFused>());
      member.run(sum.exchange, PeerMember::Places::all, &own);
    }
    const std::string log = gpu.operations();
    const bool fused = log.find("_after_") != log.npos;
    EXPECT_EQ(fused, backend.rank() == 0);
    member.group().close();
  });
  EXPECT_THAT(thrown, Each(""));
}

TEST(PeerLeaders, ALaunchThatIsRefusedIsAnErrorOfAllRanks) {
  const Led sum = usual_sum(2);
  sum.compile(kLeader);
  const auto thrown = run_gpus(2, [&](HostBackend& backend, GpuOfRank& gpu) {
    PeerMember member(backend, gpu);
    for (int round = 0; round < 2; ++round) sum.run(member, gpu);
    if (backend.rank() == 1) gpu.fail_driver("cuLaunchKernel", 1, CUDA_ERROR_LAUNCH_FAILED);
    sum.run(member, gpu);
    ADD_FAILURE() << "there is a result";
  });
  EXPECT_THAT(thrown, Each(HasSubstr("cuLaunchKernel failed")));
}

// As where a run breaks off: what they read changes at once, whether or not they were launched.
TEST(PeerLeaders, WhatTheyReadMayChangeBehindTheEndOfARun) {
  const Led sum = usual_sum(2);
  sum.compile(kLeader);
  compile_first({kUsualSumOfTwo});
  const auto thrown = run_gpus(2, [&](HostBackend& backend, GpuOfRank& gpu) {
    PeerMember member(backend, gpu);
    for (int round = 0; round < 6; ++round) {
      const runtime::BoundLeader own = sum.bind(member, gpu);
      const auto work = member.start(sum.exchange, PeerMember::Places::all, &own);
      if ((round + backend.rank()) % 2 == 0) work->test();  // maybe it is on the lane by now
      work->lead_now();
      const auto other = gpu.put(test::Bytes(own.held[1]->bytes(), std::byte{0x33}));
      gpu->copy(own.held[1]->data(), other->data(), other->bytes());
      member.finish(sum.exchange, *work);
    }
    member.group().close();
  });
  EXPECT_THAT(thrown, Each(""));
}

}  // namespace
}  // namespace tutti::codegen::cuda::peer_leaders_test
