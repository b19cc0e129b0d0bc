#include <tutti/runtime/comm/nccl_calls.h>
#include <tutti/runtime/cuda/accelerator.h>
#include <tutti/runtime/cuda/nccl_communicator.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/runtime/cuda/nccl_testing.h"
#include "tests/runtime/exchange_tables.h"
#include <gmock/gmock.h>

// On the doubles of the driver and of NCCL, each rank a process with a GPU of its own.
namespace tutti::runtime::nccl_transport_test {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::Not;

// A tensor of which one member has nothing, where the axis is cut.
Tensor uneven_tensor(CollectiveKind kind, int ranks) {
  std::int64_t share = 0;
  return test::uneven_tensor(kind, ranks, 1, 3, [&] { return share++ * 5 % 7; });
}

// What NCCL serves of all kinds, with moves of every dtype and sums of integers, whose order does
// not matter.
std::vector<Exchange> served(int ranks) {
  const ExchangeTable table(ranks);
  std::vector<Exchange> out;
  for (const CollectiveKind kind : kTensorKinds) {
    const bool reduces = kernels::reduces(kind);
    for (const DType dtype : {DType::i32, DType::u8, DType::i64, DType::bf16, DType::boolean}) {
      for (const Reduction reduction : {Reduction::sum, Reduction::max}) {
        if (!reduces && reduction != Reduction::sum) continue;
        ExchangeSpec spec = table.spec(kind);
        spec.dtype = dtype;
        spec.reduction = reduction;
        const bool cut = kernels::cuts_results(kind) || kind == CollectiveKind::all_to_all;
        for (const std::int64_t each : {std::int64_t{7}, std::int64_t{5000}}) {
          spec.tensors.push_back(test::even_tensor(kind, ranks, 1, cut ? each * ranks : each, 3));
        }
        if (kernels::has_axis(kind)) spec.tensors.push_back(uneven_tensor(kind, ranks));
        if (reduces && (dtype == DType::bf16 || dtype == DType::boolean)) continue;
        Exchange exchange(std::move(spec));
        if (nccl_serves(exchange.call(0), ranks)) out.push_back(std::move(exchange));
      }
    }
  }
  return out;
}

class NcclTransports : public testing::TestWithParam<int> {};

TEST_P(NcclTransports, CarryOutWhatTheyServe) {
  const int ranks = GetParam();
  const std::vector<Exchange> exchanges = served(ranks);
  EXPECT_GT(exchanges.size(), 20U);
  const auto thrown = run_gpus(ranks, [&](HostBackend& backend, GpuOfRank& gpu) {
    const auto group = backend.communicator(first_ranks(ranks), "all", "nccl");
    const auto member = static_cast<std::size_t>(group->position());
    for (const Exchange& exchange : exchanges) {
      const auto call = group->prepare(exchange.call(group->position()));
      std::vector<std::shared_ptr<Buffer>> operands;
      for (const auto& part : exchange.operands) operands.push_back(gpu.put(part[member]));
      const auto work = group->start(call, operands, {.accelerator = &*gpu});
      work->wait();
      for (std::size_t part = 0; part < operands.size(); ++part) {
        const Bytes& expected = exchange.expected[part][member];
        EXPECT_TRUE(gpu.get(*work->result(part), expected.size()) == expected)
            << exchange.text() << ": part " << part << " of member " << member;
      }
    }
    group->close();
  });
  EXPECT_THAT(thrown, Each(""));
}

INSTANTIATE_TEST_SUITE_P(Ranks, NcclTransports, testing::Values(2, 3, 4));

TEST(NcclTransport, SaysWhenItRanWhereItIsTimed) {
  const auto thrown = run_gpus(2, [](HostBackend& backend, GpuOfRank& gpu) {
    const auto group = backend.communicator(first_ranks(2), "pair", "nccl");
    const auto call = prepared_sum_of(*group, 64);
    const auto x = ones(gpu, 64);
    for (const bool timed : {true, false, true}) {
      const auto work = group->start(call, {{x}}, {.accelerator = &*gpu, .timed = timed});
      work->wait();
      const Work::DeviceTimes times = work->take_device_times();
      ASSERT_EQ(times.end != nullptr, timed);
      EXPECT_EQ(work->take_device_times().end, nullptr) << "it says it once";
      gpu->synchronize();
      if (!timed) continue;
      EXPECT_EQ(times.device, gpu->device());
      EXPECT_TRUE(times.end->has_come());
      EXPECT_GT(times.end->nanoseconds_after(*times.begin), 0);
    }
    group->close();
  });
  EXPECT_THAT(thrown, Each(""));
}

// Kernels of the GPU's own stream before it and behind it, and nobody waits on the host.
TEST(NcclTransport, IsInOrderWithWhatTheGpuComputes) {
  const auto thrown = run_gpus(2, [](HostBackend& backend, GpuOfRank& gpu) {
    const auto group = backend.communicator(first_ranks(2), "pair", "nccl");
    const auto call = prepared_sum_of(*group, 64);
    const auto x = ones(gpu, 64);
    const auto y = gpu->memory().allocate(256);
    gpu->copy(y->data(), x->data(), 256);  // the operand is made on the stream
    for (int round = 0; round < 10; ++round) {
      const auto work = group->start(call, {{y}}, {.accelerator = &*gpu});
      work->wait();
      gpu->copy(y->data(), work->result(0)->data(), 256);
    }
    EXPECT_EQ(to_host(*gpu, *y), std::vector<float>(64, 1024.F));
    group->close();
  });
  EXPECT_THAT(thrown, Each(""));
}

// As NCCL adds them, which the double does in the order of a ring: 256, then 1 and 1.
TEST(NcclTransport, SumsOfSixteenBitFloatsAreRoundedAtEachHop) {
  const auto thrown = run_gpus(3, [](HostBackend& backend, GpuOfRank& gpu) {
    const auto group = backend.communicator(first_ranks(3), "all", "nccl");
    CollectiveCall call{
        .kind = CollectiveKind::all_reduce, .dtype = DType::bf16, .parts = {{.elements = 1}}};
    call.description = "all_reduce sum bf16[1]";
    const std::uint16_t one = 0x3F80;
    const std::uint16_t large = 0x4380;
    const std::uint16_t& own = backend.rank() == 1 ? large : one;
    const auto work =
        group->start(group->prepare(std::move(call)),
                     {{gpu.put(std::as_bytes(std::span(&own, 1)))}}, {.accelerator = &*gpu});
    work->wait();
    EXPECT_TRUE(
        std::ranges::equal(gpu.get(*work->result(0), 2), std::as_bytes(std::span(&large, 1))));
    group->close();
  });
  EXPECT_THAT(thrown, Each(""));
}

TEST(NcclTransport, GoesOnThoughNobodyWaits) {
  const auto thrown = run_gpus(2, [](HostBackend& backend, GpuOfRank& gpu) {
    const auto group = backend.communicator(first_ranks(2), "pair", "nccl");
    const auto call = prepared_sum_of(*group, 64);
    for (int i = 0; i < 20; ++i) group->start(call, {{ones(gpu, 64)}}, {.accelerator = &*gpu});
    const auto last = group->start(call, {{ones(gpu, 64)}}, {.accelerator = &*gpu});
    last->wait();
    EXPECT_EQ(to_host(*gpu, *last->result(0)), std::vector<float>(64, 2.F));
    group->close();
  });
  EXPECT_THAT(thrown, Each(""));
}

TEST(NcclTransport, AMismatchNamesBothCallsBeforeAnythingIsLaunched) {
  const auto thrown = run_gpus(2, [](HostBackend& backend, GpuOfRank& gpu) {
    const auto group = backend.communicator(first_ranks(2), "pair", "nccl");
    const std::int64_t elements = backend.rank() == 0 ? 5 : 6;
    group->start(prepared_sum_of(*group, elements), {{ones(gpu, 6)}}, {.accelerator = &*gpu})
        ->wait();
  });
  EXPECT_THAT(thrown, Each(HasSubstr("rank 0 calls all_reduce sum f32[5], rank 1 calls "
                                     "all_reduce sum f32[6]")));
}

// Nobody else knows them, and NCCL would wait for what is not sent.
TEST(NcclTransport, SizesOfAnExchangeThatDoNotFitNameBothRanksBeforeAnythingIsLaunched) {
  const auto thrown = run_gpus(3, [](HostBackend& backend, GpuOfRank& gpu) {
    const auto group = backend.communicator(first_ranks(3), "all", "nccl");
    const auto exchange = [&](std::vector<std::int64_t> receive_sizes) {
      CollectiveCall call{.kind = CollectiveKind::all_to_all, .parts = {{.elements = 6}}};
      call.description = "all_to_all f32[6]";
      call.parts[0].axis_size = 6;
      call.parts[0].sizes = {1, 2, 3};
      call.parts[0].receive_sizes = std::move(receive_sizes);
      const auto work =
          group->start(group->prepare(std::move(call)), {{ones(gpu, 6)}}, {.accelerator = &*gpu});
      work->wait();
      return to_host(*gpu, *work->result(0));
    };
    const std::int64_t own = backend.rank() + 1;
    EXPECT_EQ(exchange({own, own, own}), std::vector<float>(static_cast<std::size_t>(3 * own), 1));
    gpu.operations();
    try {
      exchange({own, backend.rank() == 2 ? 4 : own, own});
    } catch (const CommError&) {
      EXPECT_THAT(gpu.operations(), Not(HasSubstr("nccl")));
      throw;
    }
  });
  EXPECT_THAT(thrown, Each(HasSubstr("does not match: rank 1 sends 3 to rank 2, which expects 4")));
}

// The GPUs of the others wait for one that never comes; their hosts do not.
TEST(NcclTransport, ARankThatDiesFreesTheOthers) {
  const auto thrown = run_gpus(3, [](HostBackend& backend, GpuOfRank& gpu) {
    const auto group = backend.communicator(first_ranks(3), "all", "nccl");
    const auto call = prepared_sum_of(*group, 64);
    group->start(call, {{ones(gpu, 64)}}, {.accelerator = &*gpu})->wait();
    const auto work = group->start(call, {{ones(gpu, 64)}}, {.accelerator = &*gpu});
    if (backend.rank() == 1) std::_Exit(7);  // announced, and not on its stream
    work->wait();
    to_host(*gpu, *work->result(0));
    ADD_FAILURE() << "there is a result";
  });
  EXPECT_EQ(thrown[1], "exit code 7");
  EXPECT_THAT(thrown[0], HasSubstr("rank 1"));
  EXPECT_THAT(thrown[2], HasSubstr("rank 1"));
}

// The library may hear of it before anybody has looked for deaths, and does not know who it was.
TEST(NcclTransport, ADeathThatTheLibraryNoticesIsNamed) {
  const auto thrown = run_gpus(3, [](HostBackend& backend, GpuOfRank& gpu) {
    gpu.notice_deaths();
    if (backend.rank() == 1) gpu.die("ncclCommInitRankConfig", 1);
    const auto group = backend.communicator(first_ranks(3), "all", "nccl");
    group->start(prepared_sum_of(*group, 64), {{ones(gpu, 64)}}, {.accelerator = &*gpu})->wait();
    ADD_FAILURE() << "there is a result";
  });
  EXPECT_EQ(thrown[1], "exit code 7");
  for (const std::size_t rank : {0U, 2U}) {
    EXPECT_THAT(thrown[rank], HasSubstr("rank 1"));
    EXPECT_THAT(thrown[rank], HasSubstr("died"));
    EXPECT_THAT(thrown[rank], Not(HasSubstr("exit code")));
  }
}

// The driver waits for all that runs when it frees memory, and nobody could end that.
TEST(NcclTransport, MemoryIsNotFreedWhileARankIsWaitedFor) {
  const auto thrown = run_gpus(2, [](HostBackend& backend, GpuOfRank& gpu) {
    const auto group = backend.communicator(first_ranks(2), "pair", "nccl");
    const auto call = prepared_sum_of(*group, 64);
    const auto first = group->start(call, {{ones(gpu, 64)}}, {.accelerator = &*gpu});
    first->wait();
    to_host(*gpu, *first->result(0));
    const auto work = group->start(call, {{ones(gpu, 64)}}, {.accelerator = &*gpu});
    if (backend.rank() == 1) std::_Exit(7);  // announced, and not on its stream
    work->wait();
    gpu.driver_calls();
    gpu->memory().allocate(1000);
    gpu->memory().trim();
    EXPECT_THAT(gpu.driver_calls(), Not(HasSubstr("cuMemFree")));
    EXPECT_EQ(gpu.driver_complaints(), "");
    to_host(*gpu, *work->result(0));
    ADD_FAILURE() << "there is a result";
  });
  EXPECT_EQ(thrown[1], "exit code 7");
  EXPECT_THAT(thrown[0], HasSubstr("rank 1"));
}

TEST(NcclTransport, MemoryThatRunsOutWaitsForOtherRanks) {
  const auto thrown = run_gpus(2, [](HostBackend& backend, GpuOfRank& gpu) {
    const auto group = backend.communicator(first_ranks(2), "pair", "nccl");
    const auto work =
        group->start(prepared_sum_of(*group, 64), {{ones(gpu, 64)}}, {.accelerator = &*gpu});
    const std::size_t eighth = test::FakeCuda::kUsual.memory_bytes / 8;
    gpu->memory().allocate(5 * eighth);
    work->wait();
    EXPECT_NE(gpu->memory().allocate(7 * eighth), nullptr);  // in place of what is kept free
    EXPECT_EQ(to_host(*gpu, *work->result(0)), std::vector<float>(64, 2.F));
    group->close();
  });
  EXPECT_THAT(thrown, Each(""));
}

// The library needs memory for its buffers when it connects the ranks, not later.
TEST(NcclTransport, WhatLiesFreeIsGivenBackBeforeTheyConnect) {
  const auto thrown = run_gpus(2, [](HostBackend& backend, GpuOfRank& gpu) {
    const auto group = backend.communicator(first_ranks(2), "pair", "nccl");
    const auto call = prepared_sum_of(*group, 64);
    const auto sum = [&] {
      const auto work = group->start(call, {{ones(gpu, 64)}}, {.accelerator = &*gpu});
      work->wait();
      EXPECT_EQ(to_host(*gpu, *work->result(0)), std::vector<float>(64, 2.F));
    };
    constexpr std::size_t kLarge = std::size_t{6} << 20;
    gpu.driver_calls();
    gpu->memory().allocate(kLarge);
    const std::string calls = gpu.driver_calls();  // "cuMemAlloc 6291456: memory1\n", among others
    const std::size_t name = calls.find(": ", calls.find("cuMemAlloc ")) + 2;
    const std::string freed = "cuMemFree " + calls.substr(name, calls.find('\n', name) + 1 - name);
    EXPECT_THAT(freed, HasSubstr("cuMemFree memory"));
    sum();
    EXPECT_THAT(gpu.driver_calls(), HasSubstr(freed));
    gpu->memory().allocate(kLarge);
    gpu.driver_calls();
    sum();
    EXPECT_THAT(gpu.driver_calls(), Not(HasSubstr("cuMemFree ")));
    group->close();
  });
  EXPECT_THAT(thrown, Each(""));
}

// Whose GPU it is that does not go on, nobody sees: so all say what they have called last.
TEST(NcclTransport, ATimeOutOnTheGpuNamesEveryMembersLastCall) {
  const auto thrown = run_gpus(2, [](HostBackend& backend, GpuOfRank& gpu) {
    const auto group = backend.communicator(first_ranks(2), "pair", "nccl");
    const auto call = prepared_sum_of(*group, 64);
    const auto first = group->start(call, {{ones(gpu, 64)}}, {.accelerator = &*gpu});
    first->wait();
    to_host(*gpu, *first->result(0));
    gpu.hang(1);
    const auto work = group->start(call, {{ones(gpu, 64)}},
                                   {.timeout = std::chrono::seconds(1), .accelerator = &*gpu});
    work->wait();
    to_host(*gpu, *work->result(0));
    ADD_FAILURE() << "there is a result";
  });
  const std::string last =
      "): its last collective was #2 of group \"pair, nccl\": all_reduce sum f32[64]";
  for (const std::string& text : thrown) {
    EXPECT_THAT(text,
                HasSubstr("time-out: collective #2 of group \"pair\" (all_reduce sum f32[64]) "
                          "does not end on the GPU; rank 0 (process "));
    const std::size_t second = text.find("; rank 1 (process ");
    ASSERT_NE(second, text.npos) << text;
    EXPECT_LT(text.find(last), second) << text;
    EXPECT_THAT(text.substr(second), HasSubstr(last));
  }
}

// The host does something else meanwhile.
TEST(NcclTransport, WhatEndedInTimeIsNoTimeOutForWhoLooksLater) {
  const auto timeout = std::chrono::milliseconds(500);
  const auto thrown = run_gpus(2, [&](HostBackend& backend, GpuOfRank& gpu) {
    const auto group = backend.communicator(first_ranks(2), "pair", "nccl");
    const auto call = prepared_sum_of(*group, 64);
    const auto first = group->start(call, {{ones(gpu, 64)}}, {.accelerator = &*gpu});
    first->wait();
    to_host(*gpu, *first->result(0));
    const auto work = group->start(call, {{ones(gpu, 64)}},
                                   {.timeout = timeout, .accelerator = &*gpu, .timed = true});
    work->wait();
    const auto times = work->take_device_times();
    const auto begin = std::chrono::steady_clock::now();
    while (!times.end->has_come() || std::chrono::steady_clock::now() < begin + timeout) {
      std::this_thread::yield();
    }
    EXPECT_EQ(to_host(*gpu, *work->result(0)), std::vector<float>(64, 2.F));
    group->close();
  });
  EXPECT_THAT(thrown, Each(""));
}

// The library finds something wrong while it works.
TEST(NcclTransport, WhatTheLibraryReportsLaterNamesTheCallAndEveryMembersLast) {
  const auto thrown = run_gpus(2, [](HostBackend& backend, GpuOfRank& gpu) {
    const auto group = backend.communicator(first_ranks(2), "pair", "nccl");
    const auto call = prepared_sum_of(*group, 64);
    const auto first = group->start(call, {{ones(gpu, 64)}}, {.accelerator = &*gpu});
    first->wait();
    to_host(*gpu, *first->result(0));
    if (backend.rank() == 0) gpu.fail("ncclCommGetAsyncError", 1, nccl::Result::remote_error);
    const auto work = group->start(call, {{ones(gpu, 64)}}, {.accelerator = &*gpu});
    work->wait();
    to_host(*gpu, *work->result(0));
    if (backend.rank() == 0) ADD_FAILURE() << "there is a result";
  });
  EXPECT_THAT(thrown[0], HasSubstr("collective #2 of group \"pair\" (all_reduce sum f32[64]): what "
                                   "was begun failed: remote process exited"));
  EXPECT_THAT(thrown[0], HasSubstr("; rank 0 (process "));
  EXPECT_THAT(thrown[0], HasSubstr("; rank 1 (process "));
}

TEST(NcclTransport, WhatTheLibraryRefusesIsAnErrorOfAllRanks) {
  for (const char* const function : {"ncclCommInitRankConfig", "ncclAllReduce", "ncclGroupEnd"}) {
    const auto thrown = run_gpus(2, [&](HostBackend& backend, GpuOfRank& gpu) {
      if (backend.rank() == 0) gpu.fail(function, 1, nccl::Result::invalid_usage);
      const auto group = backend.communicator(first_ranks(2), "pair", "nccl");
      const auto work =
          group->start(prepared_sum_of(*group, 64), {{ones(gpu, 64)}}, {.accelerator = &*gpu});
      work->wait();
      to_host(*gpu, *work->result(0));
      ADD_FAILURE() << function;
    });
    EXPECT_THAT(thrown[0], HasSubstr(std::string(function) + " failed: invalid usage")) << function;
    EXPECT_THAT(thrown[0], HasSubstr("World::gpu()")) << function;
    EXPECT_THAT(thrown[0], HasSubstr("collective #1 of group \"pair\" (all_reduce sum f32[64])"));
    EXPECT_THAT(thrown[1], HasSubstr(function)) << function;
  }
}

// It may have made one all the same.
TEST(NcclTransport, ACommunicatorThatIsRefusedIsEnded) {
  const auto thrown = run_gpus(2, [](HostBackend& backend, GpuOfRank& gpu) {
    if (backend.rank() == 0) gpu.fail("ncclCommInitRankConfig", 1, nccl::Result::internal_error);
    const auto group = backend.communicator(first_ranks(2), "pair", "nccl");
    const auto call = prepared_sum_of(*group, 64);
    EXPECT_THROW(group->start(call, {{ones(gpu, 64)}}, {.accelerator = &*gpu})->wait(), CommError);
    if (backend.rank() == 0) {
      EXPECT_EQ(gpu.communicators(), 0);
    }
  });
  EXPECT_THAT(thrown, Each(""));
}

// The library keeps its groups by thread: one that is left open would swallow the next.
TEST(NcclTransport, ACallThatIsRefusedLeavesTheThreadsOtherGroupsAlone) {
  const auto thrown = run_gpus(2, [&](HostBackend& backend, GpuOfRank& gpu) {
    gpu.fail("ncclAllReduce", 1, nccl::Result::internal_error);
    const auto group = backend.communicator(first_ranks(2), "pair", "nccl");
    EXPECT_THROW(
        group->start(prepared_sum_of(*group, 64), {{ones(gpu, 64)}}, {.accelerator = &*gpu})
            ->wait(),
        CommError);
    gpu.fail("ncclAllReduce", 1 << 30, nccl::Result::success);  // it may not have come to that
    const auto other = backend.communicator(first_ranks(2), "other", "nccl");
    const auto work =
        other->start(prepared_sum_of(*other, 64), {{ones(gpu, 64)}}, {.accelerator = &*gpu});
    work->wait();
    EXPECT_EQ(to_host(*gpu, *work->result(0)), std::vector<float>(64, 2.F));
    other->close();
  });
  EXPECT_THAT(thrown, Each(""));
}

TEST(NcclTransport, AnAbortEndsWhatIsOnTheStream) {
  const auto thrown = run_gpus(2, [](HostBackend& backend, GpuOfRank& gpu) {
    const auto group = backend.communicator(first_ranks(2), "pair", "nccl");
    const auto call = prepared_sum_of(*group, 64);
    group->start(call, {{ones(gpu, 64)}}, {.accelerator = &*gpu})->wait();
    const auto work = group->start(call, {{ones(gpu, 64)}}, {.accelerator = &*gpu});
    if (backend.rank() == 1) {
      group->abort("enough");
      return;
    }
    work->wait();
    to_host(*gpu, *work->result(0));
  });
  EXPECT_THAT(thrown[0], HasSubstr("enough"));
}

// It has none of the library's threads, and its peers are the rank's.
TEST(NcclCommunicator, IsLeftAloneByAForkedProcess) {
  const auto thrown = run_gpus(1, [](HostBackend&, GpuOfRank& gpu) {
    const Nccl& nccl = Nccl::process();
    nccl::UniqueId id;
    EXPECT_EQ(nccl.ncclGetUniqueId(&id), nccl::Result::success);
    std::unique_ptr<NcclCommunicator> communicator;
    {
      const CudaStream::Entered entered = gpu->stream()->enter();
      communicator = std::make_unique<NcclCommunicator>(nccl, id, 1, 0);
      while (!communicator->is_over()) std::this_thread::yield();
    }
    Child child([&]() -> std::string {
      communicator->abort();
      communicator = nullptr;
      return std::to_string(gpu.communicators());
    });
    EXPECT_EQ(child.end(), "1");
    communicator = nullptr;
    EXPECT_EQ(gpu.communicators(), 0);
  });
  EXPECT_THAT(thrown, Each(""));
}

TEST(NcclTransport, RefusesTheHostsMemory) {
  const auto thrown = run_gpus(2, [](HostBackend& backend, GpuOfRank&) {
    const auto group = backend.communicator(first_ranks(2), "pair", "nccl");
    group->start(prepared_sum_of(*group, 4), {{backend.allocate(16)}});
  });
  EXPECT_THAT(thrown, Each(HasSubstr("NCCL moves what lies on GPUs")));
}

}  // namespace
}  // namespace tutti::runtime::nccl_transport_test
