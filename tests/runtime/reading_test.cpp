// Calls whose callers read what all members gave, instead of being given a result.

#include <algorithm>
#include <cstring>
#include <thread>

#include "tests/runtime/ranks.h"
#include <gmock/gmock.h>

namespace tutti::runtime::reading_test {
namespace {

using testing::Each;
using testing::HasSubstr;

constexpr std::int64_t kSmall = 16;
constexpr std::int64_t kLarge = 100'000;  // cut into chunks by who does not read

CollectiveCall sum_of(std::int64_t elements) {
  CollectiveCall call{.kind = CollectiveKind::all_reduce, .parts = {{.elements = elements}}};
  call.description = "all_reduce sum f32[" + std::to_string(elements) + "]";
  return call;
}

std::shared_ptr<Buffer> floats(HostBackend& backend, std::int64_t count, float value) {
  auto buffer = backend.allocate(static_cast<std::size_t>(count) * sizeof(float));
  std::fill_n(reinterpret_cast<float*>(buffer->data()), count, value);
  return buffer;
}

bool is_full_of(const void* data, std::int64_t count, float value) {
  const auto* const begin = static_cast<const float*>(data);
  return std::count(begin, begin + count, value) == count;
}

std::shared_ptr<Work> start_reading(HostBackend& backend, Communicator& world,
                                    std::int64_t elements, float value) {
  return world.start(world.prepare(sum_of(elements)), {{floats(backend, elements, value)}},
                     {.reads = true});
}

TEST(Reading, GivesWhereTheMembersOperandsLie) {
  for (const std::int64_t elements : {kSmall, kLarge}) {
    run_ranks_well(3, [&](HostBackend& backend) {
      const auto world = backend.communicator({2, 0, 1}, "world");
      for (int round = 0; round < 5; ++round) {
        const auto own = static_cast<float>(10 * round + world->position());
        const auto work = start_reading(backend, *world, elements, own);
        const auto operands = work->arrive();
        ASSERT_EQ(operands.size(), 3U);
        for (std::size_t member = 0; member < 3; ++member) {
          EXPECT_TRUE(is_full_of(operands[member], elements,
                                 static_cast<float>(10 * round) + static_cast<float>(member)));
        }
        work->finish();
        EXPECT_TRUE(work->test());
      }
    });
  }
}

TEST(Reading, PeersAreNotDoneBeforeItIs) {
  run_ranks_well(2, [](HostBackend& backend) {
    const auto world = backend.communicator({0, 1}, "world");
    const auto other = backend.communicator({0, 1}, "other");
    const auto barrier = other->prepare({.kind = CollectiveKind::barrier});
    const auto work = start_reading(backend, *world, kSmall, 1);
    if (backend.rank() == 0) {
      work->arrive();
      EXPECT_FALSE(world->released(1));
      work->finish();
    } else {
      work->arrive();
      work->finish();
    }
    world->wait_released(1);
    other->start(barrier, {})->wait();
  });
}

TEST(Reading, MeetsRanksThatWantAResult) {
  for (const std::int64_t elements : {kSmall, kLarge}) {
    for (const std::int64_t reader : {0, 1, 2}) {
      run_ranks_well(3, [&](HostBackend& backend) {
        const auto world = backend.communicator({0, 1, 2}, "world");
        for (int round = 0; round < 6; ++round) {
          const auto own = static_cast<float>(round + 1);
          if (backend.rank() == reader) {
            const auto work = start_reading(backend, *world, elements, own);
            for (const void* operand : work->arrive())
              EXPECT_TRUE(is_full_of(operand, elements, own));
            work->finish();
          } else {
            const auto work =
                world->start(world->prepare(sum_of(elements)), {{floats(backend, elements, own)}});
            work->wait();
            EXPECT_TRUE(is_full_of(work->result(0)->data(), elements, 3 * own));
          }
        }
      });
    }
  }
}

// Waiting for what was started later completes it first: what it was to read is copied.
TEST(Reading, ThatHasToBeOverSoonerIsOfCopies) {
  run_ranks_well(2, [](HostBackend& backend) {
    const auto world = backend.communicator({0, 1}, "world");
    for (int round = 0; round < 3; ++round) {
      auto operand = floats(backend, kSmall, static_cast<float>(round));
      const auto first = world->start(world->prepare(sum_of(kSmall)), {{operand}}, {.reads = true});
      const auto second = start_reading(backend, *world, kSmall, 7);
      for (const void* each : second->arrive()) EXPECT_TRUE(is_full_of(each, kSmall, 7));
      second->finish();
      world->wait_released(first->sequence());
      std::memset(operand->data(), 0xff, operand->bytes());
      for (const void* each : first->arrive()) {
        EXPECT_TRUE(is_full_of(each, kSmall, static_cast<float>(round)));
      }
      first->finish();
    }
  });
}

TEST(Reading, ThatNobodyWantsAnyMoreHasAResult) {
  for (const std::int64_t elements : {kSmall, kLarge}) {
    for (const bool arrives : {false, true}) {
      run_ranks_well(2, [&](HostBackend& backend) {
        const auto world = backend.communicator({0, 1}, "world");
        const auto work = start_reading(backend, *world, elements, 3);
        if (arrives) work->arrive();
        work->stop_reading();
        while (!work->test()) std::this_thread::yield();
        EXPECT_TRUE(is_full_of(work->result(0)->data(), elements, 6));
      });
    }
  }
}

// More than may queue up.
TEST(Reading, EndsWhereSoManyFollowThatItsPlaceIsNeeded) {
  run_ranks_well(2, [](HostBackend& backend) {
    const auto world = backend.communicator({0, 1}, "world");
    const auto first = start_reading(backend, *world, kSmall, 1);
    const auto call = world->prepare(sum_of(kSmall));
    const auto operand = floats(backend, kSmall, 2);
    std::vector<std::shared_ptr<Work>> works;
    for (int i = 0; i < 1200; ++i) works.push_back(world->start(call, {{operand}}));
    for (const void* each : first->arrive()) EXPECT_TRUE(is_full_of(each, kSmall, 1));
    first->finish();
    for (const auto& work : works) work->wait();
    EXPECT_TRUE(is_full_of(works.back()->result(0)->data(), kSmall, 4));
  });
}

TEST(Reading, IsOfAnAllReduceOfOneTensorAmongSeveral) {
  run_ranks_well(2, [](HostBackend& backend) {
    const auto world = backend.communicator({0, 1}, "world");
    const auto alone = backend.communicator({backend.rank()}, "alone");
    const auto operand = floats(backend, kSmall, 1);
    const auto refuses = [&](Communicator& group, CollectiveCall call) {
      const std::vector<std::shared_ptr<Buffer>> operands(call.parts.size(), operand);
      EXPECT_THROW(group.start(group.prepare(std::move(call)), operands, {.reads = true}),
                   TypeError);
    };
    refuses(*alone, sum_of(kSmall));
    CollectiveCall call = sum_of(kSmall);
    call.parts.push_back(call.parts[0]);
    refuses(*world, call);
    call = sum_of(kSmall);
    call.kind = CollectiveKind::broadcast;
    refuses(*world, call);
    // A place that is too small.
    const std::vector<std::shared_ptr<Buffer>> place = {floats(backend, kSmall - 1, 0)};
    EXPECT_THROW(world->start(world->prepare(sum_of(kSmall)), {{operand}}, {.results = place}),
                 TypeError);
  });
}

TEST(Reading, ThatNobodyEndsIsOverWhenItsRankLeaves) {
  run_ranks_well(2, [](HostBackend& backend) {
    const auto world = backend.communicator({0, 1}, "world");
    {
      const auto dropped = start_reading(backend, *world, kSmall, 1);
      if (backend.rank() == 0) dropped->arrive();
    }
    const auto met = world->start(world->prepare({.kind = CollectiveKind::barrier}), {});
    met->wait();
    backend.finish();
  });
}

TEST(Reading, OfCallsThatDifferIsRefusedOnAllRanks) {
  const auto thrown = run_ranks(2, [](HostBackend& backend) {
    const auto world = backend.communicator({0, 1}, "world");
    start_reading(backend, *world, kSmall + backend.rank(), 1)->arrive();
  });
  EXPECT_THAT(thrown, Each(HasSubstr("does not match: rank 0 calls all_reduce sum f32[16]")));
}

TEST(Reading, EndsWhenAPeerLeaves) {
  const auto thrown = run_ranks(2, [](HostBackend& backend) {
    const auto world = backend.communicator({0, 1}, "world");
    if (backend.rank() == 1) throw std::runtime_error("no more");
    start_reading(backend, *world, kSmall, 1)->arrive();
  });
  EXPECT_THAT(thrown[0], HasSubstr("rank 1 left: no more"));
}

}  // namespace
}  // namespace tutti::runtime::reading_test
