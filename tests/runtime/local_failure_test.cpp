// What goes wrong between ranks: an error on every one of them, never a hang.

#include <atomic>
#include <barrier>
#include <chrono>
#include <vector>

#include "tests/runtime/message_of.h"
#include "tests/runtime/ranks.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::runtime::local_failure_test {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// Memory for calls of every rank that outlives them.
struct Memory {
  std::vector<float> operand = std::vector<float>(40'000);
  std::vector<float> result = std::vector<float>(160'000);

  CollectiveCall call(CollectiveKind kind, std::int64_t elements) {
    return {.kind = kind,
            .parts = {{.operand = operand.data(),
                       .result = result.data(),
                       .elements = elements,
                       .axis_size = elements}}};
  }
};

// Rank 1 of three does something else than the others; all get the same error.
void expect_mismatch(const std::function<void(CollectiveCall&)>& change, const std::string& rank_0,
                     const std::string& rank_1) {
  std::vector<Memory> memory(3);
  const auto thrown = run_ranks(3, [&](HostBackend& backend) {
    const auto world = backend.communicator(first_ranks(3), "world");
    world->start(barrier_call())->wait();
    CollectiveCall call =
        memory[static_cast<std::size_t>(backend.rank())].call(CollectiveKind::all_reduce, 6);
    call.location = Location("folder/even.cpp", 10);
    if (backend.rank() == 1) {
      change(call);
      call.location = Location("folder/odd.cpp", 20);
    }
    const auto work = world->start(call);
    try {
      work->wait();
    } catch (const CommError& error) {
      EXPECT_EQ(error.where(), call.location);
      EXPECT_THROW(work->wait(), CommError);  // every time again
      EXPECT_THROW(work->test(), CommError);
      EXPECT_THROW(world->start(barrier_call()), CommError);  // poisoned
      throw;
    }
  });
  for (std::size_t rank = 0; rank < 3; ++rank) {
    SCOPED_TRACE(thrown[rank]);
    EXPECT_THAT(thrown[rank], StartsWith(rank == 1 ? "odd.cpp:20: " : "even.cpp:10: "));
    EXPECT_THAT(thrown[rank], HasSubstr("collective #2 of group \"world\" does not match: "));
    EXPECT_THAT(thrown[rank], HasSubstr("calls " + rank_0 + " (even.cpp:10)"));
    EXPECT_THAT(thrown[rank], HasSubstr("rank 1 calls " + rank_1 + " (odd.cpp:20)"));
  }
}

TEST(LocalFailure, MismatchOfTheOperation) {
  expect_mismatch([](CollectiveCall& call) { call.kind = CollectiveKind::all_gather; },
                  "all_reduce sum f32[6]", "all_gather f32[6]");
}
TEST(LocalFailure, MismatchOfTheDType) {
  expect_mismatch([](CollectiveCall& call) { call.dtype = DType::i32; }, "all_reduce sum f32[6]",
                  "all_reduce sum i32[6]");
}
TEST(LocalFailure, MismatchOfTheCount) {
  expect_mismatch([](CollectiveCall& call) { call.parts[0].elements = 30'000; },
                  "all_reduce sum f32[6]", "all_reduce sum f32[30000]");
}
TEST(LocalFailure, MismatchOfTheReduction) {
  expect_mismatch([](CollectiveCall& call) { call.reduction = Reduction::max; },
                  "all_reduce sum f32[6]", "all_reduce max f32[6]");
}
TEST(LocalFailure, MismatchOfTheList) {
  expect_mismatch([](CollectiveCall& call) { call.parts.push_back(call.parts[0]); },
                  "all_reduce sum f32[6]", "all_reduce sum f32[6] f32[6]");
}

TEST(LocalFailure, MismatchOfTheRoot) {
  const auto thrown = run_ranks(2, [&](HostBackend& backend) {
    Memory memory;
    CollectiveCall call = memory.call(CollectiveKind::broadcast, 1);
    call.root = static_cast<int>(backend.rank());
    backend.communicator({0, 1}, "world")->start(call)->wait();
  });
  EXPECT_THAT(thrown, Each(HasSubstr("what the descriptions do not show")));
}

std::vector<std::string> gather_with_one_place(std::int64_t elements) {
  std::vector<Memory> memory(2);
  return run_ranks(2, [&](HostBackend& backend) {
    CollectiveCall call =
        memory[static_cast<std::size_t>(backend.rank())].call(CollectiveKind::all_gather, elements);
    if (backend.rank() == 1) call.parts[0].result = nullptr;
    backend.communicator({0, 1}, "world")->start(call)->wait();
  });
}

TEST(LocalFailure, MismatchOfWhoHasPlacesForLargeResults) {
  EXPECT_THAT(gather_with_one_place(30'000), Each(HasSubstr("whether results have a place")));
}

TEST(LocalFailure, WhereSmallResultsLieIsEachRanksAffair) {
  EXPECT_THAT(gather_with_one_place(6), Each(std::string()));
}

TEST(LocalFailure, WithoutElementsNobodyNeedsAPlace) {
  std::vector<Memory> memory(2);
  run_ranks_well(2, [&](HostBackend& backend) {
    CollectiveCall call =
        memory[static_cast<std::size_t>(backend.rank())].call(CollectiveKind::all_gather, 0);
    if (backend.rank() == 1) call.parts[0].result = nullptr;
    backend.communicator({0, 1}, "world")->start(call)->wait();
  });
}

TEST(LocalFailure, MismatchOfAPlan) {
  const auto thrown = run_ranks(2, [&](HostBackend& backend) {
    CollectiveCall call = barrier_call();
    call.agreement = static_cast<std::uint64_t>(backend.rank());
    backend.communicator({0, 1}, "world")->start(call)->wait();
  });
  EXPECT_THAT(thrown, Each(HasSubstr("does not match: rank 0 calls barrier (local_failure_test")));
}

TEST(LocalFailure, TheFingerprintCoversWhatMustAgree) {
  Memory memory;
  const CollectiveCall base = memory.call(CollectiveKind::reduce_scatter, 12);
  CollectiveCall call = base;
  call.description = "something";
  call.location = std::source_location::current();
  call.root = 3;  // of no meaning here
  call.parts[0].operand = nullptr;
  EXPECT_EQ(fingerprint(call), fingerprint(base));
  call.parts[0].axis_size = 6;
  call.parts[0].outer = 2;
  EXPECT_NE(fingerprint(call), fingerprint(base));
}

TEST(LocalFailure, OtherGroupsGoOn) {
  std::barrier all_started(3);
  const auto thrown = run_ranks(3, [&](HostBackend& backend) {
    const auto world = backend.communicator(first_ranks(3), "world");
    const auto healthy = backend.communicator(first_ranks(3), "healthy");
    CollectiveCall call = barrier_call();
    call.agreement = static_cast<std::uint64_t>(backend.rank());
    const auto failing = world->start(call);
    all_started.arrive_and_wait();  // the first to notice poisons the group
    const auto fine = healthy->start(barrier_call());
    fine->wait();  // completes `failing` first, whose error is its own
    EXPECT_THROW(failing->wait(), CommError);
    healthy->start(barrier_call())->wait();
    EXPECT_NO_THROW(backend.finish());  // everybody has been told
  });
  EXPECT_EQ(thrown, std::vector<std::string>(3));
}

TEST(LocalFailure, FinishTellsOfWhatWasDropped) {
  const auto thrown = run_ranks(2, [](HostBackend& backend) {
    CollectiveCall call = barrier_call();
    call.agreement = static_cast<std::uint64_t>(backend.rank());
    backend.communicator({0, 1}, "world")->start(call);
    backend.finish();
  });
  EXPECT_THAT(thrown, Each(HasSubstr("does not match")));
}

// While a rank of another process writes another reason, or died while it did.
TEST(LocalFailure, AnAbandonedNumberIsNotTakenWhateverThePageSays) {
  const auto fabric = std::make_shared<LocalFabric>(2);
  HostBackend backend(fabric, 0);
  const auto world = backend.communicator({0, 1}, "world");
  const auto group = fabric->group({.tag = "world", .purpose = {}, .members = {0, 1}});
  auto& header = reinterpret_cast<kernels::GroupHeader&>(group->page.signal());
  header.failure.state.store(kernels::Failure::being_written_by(1));
  world->abandon("it has no memory");
  try {
    world->start(barrier_call());
    FAIL() << "it started";
  } catch (const CommError& error) {
    EXPECT_THAT(error.what(), HasSubstr("it has no memory"));
  }
}

TEST(LocalFailure, APeerThatLeftEarlyIsAnErrorAtOnce) {
  const auto thrown = run_ranks(3, [](HostBackend& backend) {
    const auto world = backend.communicator(first_ranks(3), "world");
    world->start(barrier_call())->wait();
    if (backend.rank() == 1) throw std::runtime_error("out of sugar");
    world->start(barrier_call())->wait();
  });
  EXPECT_EQ(thrown[1], "out of sugar");
  for (const int rank : {0, 2}) {
    // Whoever notices first, and leaves with that, may be the one the other speaks of.
    EXPECT_THAT(thrown[static_cast<std::size_t>(rank)],
                AllOf(HasSubstr("rank 1 left: out of sugar"),
                      HasSubstr("collective #2 of group \"world\" (barrier) waits for it")));
  }
}

TEST(LocalFailure, WhatALeaverPublishedStillCompletes) {
  std::vector<Memory> memory(2);
  const auto thrown = run_ranks(2, [&](HostBackend& backend) {
    const auto world = backend.communicator({0, 1}, "world");
    const auto rank = static_cast<std::size_t>(backend.rank());
    memory[rank].operand[0] = 21;
    const auto work = world->start(memory[rank].call(CollectiveKind::all_reduce, 40'000));
    if (backend.rank() == 1) return;
    work->wait();
    EXPECT_EQ(memory[0].result[0], 42);
    world->start(barrier_call())->wait();
  });
  EXPECT_THAT(thrown[0], HasSubstr("rank 1 left; collective #2"));
  EXPECT_EQ(thrown[1], "");
}

// A peer that waited for a release has buried it.
TEST(LocalFailure, AChunkOfARankThatDiedIsMissingThoughItWasBuried) {
  std::vector<Memory> memory(2);
  const auto fabric = std::make_shared<LocalFabric>(
      2, HostOptions{.timeout = std::chrono::milliseconds(50), .progress = false});
  HostBackend survivor(fabric, 0), victim(fabric, 1);
  const auto work = survivor.communicator({0, 1}, "world")
                        ->start(memory[0].call(CollectiveKind::all_reduce, 40'000));
  victim.communicator({0, 1}, "world")->start(memory[1].call(CollectiveKind::all_reduce, 40'000));
  const auto group = fabric->group({.tag = "world", .purpose = {}, .members = {0, 1}});
  group->page.chunks(1).claimed.store(1);
  fabric->page(1).presence.store(kernels::RankPage::kDied);
  group->member_left(1);
  EXPECT_THAT(message_of<CommError>([&] { work->wait(); }), HasSubstr("rank 1 died"));
}

TEST(LocalFailure, AGroupMadeAfterAPeerLeftKnows) {
  std::atomic<bool> gone{false};
  const auto thrown = run_ranks(2, [&](HostBackend& backend) {
    if (backend.rank() == 1) {
      backend.leave("went home");
      gone.store(true);
      gone.notify_all();
      return;
    }
    gone.wait(false);
    const auto late = backend.communicator({0, 1}, "late");
    late->start(barrier_call())->wait();
  });
  EXPECT_THAT(thrown[0], HasSubstr("rank 1 left: went home"));
}

TEST(LocalFailure, AbortFreesEveryRankOfTheGroup) {
  // Ranks 0 to 2 are stuck for good; rank 3 aborts their group when it has seen that they wait.
  const auto thrown = run_ranks(4, [](HostBackend& backend) {
    const auto world = backend.communicator(first_ranks(4), "world");
    if (backend.rank() == 3) {
      while (!backend.peer_waits()) std::this_thread::yield();
      world->abort("had enough");
      EXPECT_THROW(world->start(barrier_call()), CommError);
    } else {
      world->start(barrier_call())->wait();
    }
  });
  for (std::size_t rank = 0; rank < 3; ++rank) {
    EXPECT_THAT(thrown[rank], HasSubstr("group \"world\" was aborted: had enough"));
  }
  EXPECT_EQ(thrown[3], "");
}

TEST(LocalFailure, AbortFromAThreadThatIsNoRank) {
  const auto fabric = std::make_shared<LocalFabric>(3);
  std::atomic<bool> waited_for{false};
  std::thread other([&] {
    waited_for.wait(false);
    fabric->abort("the user gave up");
  });
  const auto thrown = run_ranks(fabric, [&](HostBackend& backend) {
    if (backend.rank() == 2) {
      while (!backend.peer_waits()) std::this_thread::yield();
      waited_for.store(true);
      waited_for.notify_all();
      // A group that is made later is aborted too; the loop is for the abort to arrive.
      for (int i = 0;; ++i) backend.communicator({0, 2}, std::to_string(i))->start(barrier_call());
    }
    // Ranks 0 and 1 are stuck in groups of their own with rank 2.
    backend.communicator({backend.rank(), 2}, "pair")->start(barrier_call())->wait();
  });
  other.join();
  EXPECT_THAT(thrown, Each(HasSubstr("aborted: the user gave up")));
}

TEST(LocalFailure, ATimeOutNamesWhoIsMissing) {
  for (const int where : {0, 1, 2}) {  // the call, the group, the fabric says how long
    HostOptions options;
    if (where == 2) options.timeout = std::chrono::milliseconds(20);
    const auto fabric = std::make_shared<LocalFabric>(4, options);
    std::atomic<int> failed{0};
    const auto thrown = run_ranks(fabric, [&](HostBackend& backend) {
      if (backend.rank() % 2 == 1) {  // never comes, and does not leave either
        for (int seen = failed.load(); seen < 2; seen = failed.load()) failed.wait(seen);
        return;
      }
      const auto world = backend.communicator(first_ranks(4), "world");
      if (where == 1) world->set_timeout(std::chrono::milliseconds(20));
      CollectiveCall call = barrier_call();
      if (where == 0) call.timeout = std::chrono::milliseconds(20);
      try {
        world->start(call)->wait();
      } catch (const CommError&) {
        failed.fetch_add(1);
        failed.notify_all();
        throw;
      }
    });
    // The rank that is late with its own arrival may be missing too, for a moment.
    EXPECT_THAT(thrown[0], AllOf(HasSubstr("local_failure_test.cpp:"),
                                 HasSubstr("time-out after 20 ms: collective #1 of group \"world\" "
                                           "(barrier) waits for ranks "),
                                 HasSubstr("1"), HasSubstr("3")));
    EXPECT_THAT(thrown[2], HasSubstr("time-out after 20 ms"));
  }
}

TEST(LocalFailure, ATimeOutSaysOfNoMoreThanTenWhatTheyDidLast) {
  std::atomic<bool> ended{false};
  const auto thrown = run_ranks(14, [&](HostBackend& backend) {
    if (backend.rank() > 0) return ended.wait(false);  // never comes, and does not leave either
    const auto world = backend.communicator(first_ranks(14), "world");
    world->set_timeout(std::chrono::milliseconds(20));
    try {
      world->start(barrier_call())->wait();
    } catch (const CommError&) {
      ended.store(true);
      ended.notify_all();
      throw;
    }
  });
  EXPECT_THAT(thrown[0], AllOf(HasSubstr("rank 10: it has started no collective; and 3 more"),
                               Not(HasSubstr("rank 11: "))));
}

// Runs `body` as rank 0 while rank 1 has started `started` barriers and completes none of them.
std::string thrown_beside_idle_peer(int started, const std::function<void(Communicator&)>& body) {
  std::atomic<bool> ended{false};
  return run_ranks(2, [&](HostBackend& backend) {
    const auto world = backend.communicator({0, 1}, "world");
    if (backend.rank() == 1) {
      for (int i = 0; i < started; ++i) world->start(barrier_call());
      ended.wait(false);
      return;
    }
    try {
      body(*world);
    } catch (const CommError&) {
      ended.store(true);
      ended.notify_all();
      throw;
    }
  })[0];
}

TEST(LocalFailure, WaitingForAReleaseTimesOutToo) {
  const std::string thrown = thrown_beside_idle_peer(60, [](Communicator& world) {
    std::shared_ptr<Work> last;
    for (int i = 0; i < 60; ++i) last = world.start(barrier_call());
    last->wait();
    EXPECT_FALSE(world.released(60));
    world.set_timeout(std::chrono::milliseconds(20));
    world.wait_released(60);
  });
  EXPECT_THAT(thrown, HasSubstr("collective #60 of group \"world\" (wait_released) waits to be "
                                "completed by rank 1"));
}

TEST(LocalFailure, BeyondAFullRingStartingDoesNotWaitButWaitingTimesOut) {
  const std::string thrown = thrown_beside_idle_peer(0, [](Communicator& world) {
    world.set_timeout(std::chrono::milliseconds(20));
    std::shared_ptr<Work> last;
    for (std::uint64_t i = 0; i < kernels::kRingSlots + 5; ++i) last = world.start(barrier_call());
    EXPECT_FALSE(last->test());
    last->wait();
  });
  EXPECT_THAT(thrown, HasSubstr("time-out after 20 ms: collective #1 of group \"world\" (barrier) "
                                "waits for rank 1"));
}

}  // namespace
}  // namespace tutti::runtime::local_failure_test
