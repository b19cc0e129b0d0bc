#include <algorithm>
#include <bit>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "tests/codegen/cuda/comm_kernel_testing.h"
#include "tests/runtime/cuda/nccl_testing.h"
#include "tests/runtime/exchange_tables.h"
#include "tests/runtime/ranks.h"
#include <gmock/gmock.h>

// Collectives by kernels of our own (runtime/cuda/peer_collectives.h), between processes with a GPU
// each, on the doubles of the driver, NVRTC and NCCL.
namespace tutti::codegen::cuda::peer_collectives_test {
namespace {

using runtime::CollectiveKind;
using runtime::CommKernel;
using runtime::Exchange;
using runtime::ExchangeSpec;
using runtime::GpuOfRank;
using runtime::HostBackend;
using runtime::Reduction;
using runtime::run_gpus;
using testing::Each;
using testing::HasSubstr;

constexpr std::size_t kBytes = std::size_t{1} << 19;  // of the group's memory
constexpr std::int64_t kAlways = std::int64_t{1} << 46;

// A sum of so many elements of each rank; of reduce_scatter, of as many for each rank.
Exchange exchange_of(int ranks, CollectiveKind kind, DType dtype, std::int64_t elements,
                     Reduction reduction = Reduction::sum) {
  ExchangeSpec spec{.group = runtime::first_ranks(ranks), .kind = kind};
  spec.dtype = dtype;
  spec.reduction = reduction;
  spec.tensors.push_back(test::even_tensor(kind, ranks, 1, elements, 1));
  return Exchange(std::move(spec));
}

// A rank of a group, as a compiled program whose operands and results lie at places of the group's
// memory.
class Member {
 public:
  Member(HostBackend& backend, GpuOfRank& gpu)
      : gpu_(gpu),
        group_(backend.communicator(runtime::first_ranks(backend.ranks()), "all", "nccl")) {}

  runtime::Communicator& group() { return *group_; }
  void set_one_shot_up_to(std::int64_t bytes) { one_shot_up_to_ = bytes; }
  void set_memory(std::size_t bytes) { bytes_ = bytes; }

  enum class Places : std::uint8_t { all, in_place, none, others };
  // Makes the call and compares its results with the host's.
  void run(const Exchange& exchange, Places places = Places::all) {
    const auto work = start(exchange, places);
    work->wait();
    const auto member = static_cast<std::size_t>(group_->position());
    for (std::size_t part = 0; part < exchange.operands.size(); ++part) {
      const auto& expected = exchange.expected[part][member];
      EXPECT_TRUE(gpu_.get(*work->result(part), expected.size()) == expected)
          << exchange.text() << ": part " << part << " of member " << member;
    }
  }

  std::shared_ptr<runtime::Work> start(const Exchange& exchange, Places places = Places::all) {
    if (memory_ == nullptr || memory_->bytes() < bytes_)
      memory_ = group_->symmetric_memory(bytes_, &*gpu_);
    const auto member = static_cast<std::size_t>(group_->position());
    runtime::CollectiveCall call = exchange.call(group_->position());
    call.description = exchange.text();
    call.one_shot_up_to = one_shot_up_to_;
    const auto prepared = group_->prepare(std::move(call));
    std::size_t place = places == Places::others ? 4096 : 0;
    const auto next = [&](std::size_t bytes) {
      const std::size_t at = std::exchange(place, place + (bytes + 255) / 256 * 256);
      return memory_->at(at, std::max<std::size_t>(bytes, 1));
    };
    std::vector<std::shared_ptr<runtime::Buffer>> operands;
    std::vector<std::shared_ptr<runtime::Buffer>> results;
    for (std::size_t part = 0; part < exchange.operands.size(); ++part) {
      const auto& bytes = exchange.operands[part][member];
      auto operand = gpu_.put(bytes);
      if (places == Places::none) {
        operands.push_back(operand);
        results.push_back(nullptr);
        continue;
      }
      operands.push_back(next(bytes.size()));
      if (!bytes.empty()) gpu_->copy(operands.back()->data(), operand->data(), bytes.size());
      results.push_back(places == Places::in_place ? operands.back()
                                                   : next(exchange.expected[part][member].size()));
    }
    return group_->start(
        prepared, operands,
        {.results = results, .accelerator = &*gpu_, .comm_kernels = &KernelsOfDoubles::process()});
  }

 private:
  GpuOfRank& gpu_;
  const std::shared_ptr<runtime::Communicator> group_;
  std::int64_t one_shot_up_to_ = 65536;
  std::size_t bytes_ = kBytes;
  std::shared_ptr<runtime::SymmetricMemory> memory_;
};

void compile_first(const std::vector<CommKernel>& kernels) {
  KernelsOfDoubles::process().compile(kernels);
}

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
    Member member(backend, gpu);
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
    Member member(backend, gpu);
    member.set_one_shot_up_to(-1);
    member.run(exchange_of(ranks, CollectiveKind::all_reduce, DType::i32, 8));
    for (const Exchange& exchange : exchanges) {
      member.run(exchange);
      member.run(exchange, Member::Places::in_place);
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
    Member member(backend, gpu);
    member.run(exchanges[0]);
    for (const Exchange& exchange : exchanges) member.run(exchange);
    EXPECT_EQ(gpu.in_windows(), 0);
    member.group().close();
  });
  EXPECT_THAT(thrown, Each(""));
}

// Whole numbers from -3 to 3, whose sums are the same in any order.
Exchange exact_sum(int ranks, DType dtype, std::int64_t elements,
                   CollectiveKind kind = CollectiveKind::all_reduce) {
  Exchange out = exchange_of(ranks, kind, dtype, elements);
  constexpr std::array<std::uint16_t, 7> kF16 = {0xC200, 0xC000, 0xBC00, 0, 0x3C00, 0x4000, 0x4200};
  for (std::size_t member = 0; member < out.operands[0].size(); ++member) {
    test::Bytes& bytes = out.operands[0][member];
    for (std::size_t i = 0; i < bytes.size() / static_cast<std::size_t>(size_of(dtype)); ++i) {
      const std::size_t which = (i * i + 3 * member + i / 5) % kF16.size();
      const float number = static_cast<float>(which) - 3;
      const auto bits = std::bit_cast<std::uint32_t>(number);
      const auto narrow =
          dtype == DType::f16 ? kF16[which] : static_cast<std::uint16_t>(bits >> 16);
      if (dtype == DType::f32) std::memcpy(bytes.data() + 4 * i, &bits, 4);
      if (dtype != DType::f32) std::memcpy(bytes.data() + 2 * i, &narrow, 2);
    }
  }
  const test::Tensor& tensor = out.spec.tensors[0];
  out.expected[0] = test::expected_results(out.spec.kind, out.spec.reduction, dtype, 0,
                                           tensor.shape(out.spec.kind, 0), out.operands[0], {},
                                           tensor.splits, {});
  return out;
}

// Above what each computes for itself, where the members' memory is multicast memory.
TEST_P(PeerCollectivesOfRanks, TheSwitchSumsLargerOnes) {
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
    Member member(backend, gpu);
    member.set_memory(std::size_t{4} << 20);
    member.run(exchange_of(ranks, CollectiveKind::all_reduce, DType::i32, 8));
    for (const Exchange& exchange : exchanges) {
      member.run(exchange);
      member.run(exchange, Member::Places::in_place);
    }
    // Between two the switch saves nothing.
    EXPECT_EQ(gpu.launched("all_reduce_multimem"),
              ranks > 2 ? static_cast<int>(2 * exchanges.size()) : 0);
    member.group().close();
  });
  EXPECT_THAT(thrown, Each(""));
}

// Above what each reads from the others.
TEST_P(PeerCollectivesOfRanks, TheSwitchGathersAndScattersLargerOnes) {
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
    Member member(backend, gpu);
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

INSTANTIATE_TEST_SUITE_P(Ranks, PeerCollectivesOfRanks, testing::Values(2, 4));

const CommKernel kSumOfTwo = {.kind = CommKernel::Kind::all_reduce_one_shot, .members = 2};

Exchange sum_of_two(std::int64_t elements) {
  return exchange_of(2, CollectiveKind::all_reduce, DType::f32, elements);
}

// Blocks meet as often as they have met before, whatever the launches between.
TEST(PeerCollectives, ManyInARowOfChangingSizes) {
  compile_first({kSumOfTwo});
  const auto thrown = run_gpus(2, [&](HostBackend& backend, GpuOfRank& gpu) {
    Member member(backend, gpu);
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
    Member member(backend, gpu);
    const Exchange sum = sum_of_two(1000);
    const Exchange copy = exchange_of(2, CollectiveKind::broadcast, DType::f32, 100);
    for (int round = 0; round < 5; ++round) {
      member.run(sum);
      member.run(copy, Member::Places::none);
      member.start(sum, Member::Places::none);  // nobody waits for it
    }
    EXPECT_EQ(gpu.launched("all_reduce_one_shot"), 4);
    member.group().close();
  });
  EXPECT_THAT(thrown, Each(""));
}

TEST(PeerCollectives, OtherPlacesOnAnotherMemberGoByNccl) {
  compile_first({kSumOfTwo});
  const auto thrown = run_gpus(2, [&](HostBackend& backend, GpuOfRank& gpu) {
    Member member(backend, gpu);
    const Exchange sum = exchange_of(2, CollectiveKind::all_reduce, DType::i32, 100);
    for (int round = 0; round < 2; ++round) member.run(sum_of_two(4));
    EXPECT_EQ(gpu.launched("all_reduce_one_shot"), 1);
    member.run(sum, backend.rank() == 0 ? Member::Places::all : Member::Places::others);
    member.run(sum, backend.rank() == 0 ? Member::Places::all : Member::Places::none);
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
    Member member(backend, gpu);
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
    Member member(backend, gpu);
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
    Member member(backend, gpu);
    member.set_memory(std::size_t{8} << 20);
    member.set_one_shot_up_to(kAlways);
    const Exchange large = exchange_of(2, CollectiveKind::all_reduce, DType::i32, 300'000);
    for (int round = 0; round < 2; ++round) member.run(large);
    EXPECT_EQ(gpu.launched("all_reduce_one_shot"), 1);
    member.group().close();
  });
  EXPECT_THAT(thrown, Each(""));
}

// What one member can't, no member does.
TEST(PeerCollectives, WhereOneMemberReachesNobodyAllStayWithNccl) {
  const auto thrown = run_gpus(3, [&](HostBackend& backend, GpuOfRank& gpu) {
    if (backend.rank() == 1) gpu.isolate();
    Member member(backend, gpu);
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
      Member member(backend, gpu);
      const Exchange sum = exchange_of(2, CollectiveKind::all_reduce, DType::i32, 100);
      for (int round = 0; round < 3; ++round) member.run(sum);
      EXPECT_EQ(gpu.launched("all_reduce"), 0);
      member.group().close();
    });
    EXPECT_THAT(thrown, Each("")) << function;
  }
}

TEST(PeerCollectives, WhatIsNotOfThatKindIsNotSummedByTheSwitch) {
  const auto kernel = [](DType dtype) {
    return CommKernel{.kind = CommKernel::Kind::all_reduce_two_shot, .dtype = dtype, .members = 3};
  };
  compile_first({kernel(DType::f32), kernel(DType::i32)});
  const auto thrown = run_gpus(3, [&](HostBackend& backend, GpuOfRank& gpu) {
    Member member(backend, gpu);
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
TEST(PeerCollectives, WhereOneHasNoMulticastMemoryAllSumAsBefore) {
  compile_first(
      {{.kind = CommKernel::Kind::all_reduce_two_shot, .dtype = DType::f32, .members = 3}});
  const std::pair<const char*, int> failures[] = {
      {"cuMulticastCreate", 0},    {"cuMulticastGetGranularity", 0}, {"cuMulticastAddDevice", 0},
      {"cuMulticastAddDevice", 2}, {"cuMulticastBindMem", 1},        {"cuMulticastBindMem", 0}};
  for (const auto& [function, rank] : failures) {
    const auto thrown = run_gpus(3, [&](HostBackend& backend, GpuOfRank& gpu) {
      if (backend.rank() == rank) gpu.fail_driver(function, 1, CUDA_ERROR_NOT_PERMITTED);
      Member member(backend, gpu);
      member.set_memory(std::size_t{4} << 20);
      const Exchange sum = exact_sum(3, DType::f32, 150'000);
      for (int round = 0; round < 3; ++round) member.run(sum);
      EXPECT_EQ(gpu.launched("all_reduce_two_shot"), 2);
      member.group().close();
    });
    EXPECT_THAT(thrown, Each("")) << function << " of rank " << rank;
  }
}

// The others' kernels wait for one that never comes, and end.
TEST(PeerCollectives, ARankThatDiesFreesTheOthers) {
  compile_first({{.kind = CommKernel::Kind::all_reduce_one_shot, .members = 3}});
  const auto thrown = run_gpus(3, [&](HostBackend& backend, GpuOfRank& gpu) {
    Member member(backend, gpu);
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
    Member member(backend, gpu);
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
    Member member(backend, gpu);
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
