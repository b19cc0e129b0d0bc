// Program order, overlap, lifetimes, the ring.

#include <tutti/runtime/comm/group_agreement.h>

#include <atomic>
#include <barrier>
#include <deque>
#include <random>
#include <vector>

#include "tests/runtime/ranks.h"
#include <gtest/gtest.h>

namespace tutti::runtime::local_order_test {
namespace {

constexpr std::size_t kLargeElements = 50'000;  // above one-shot

// Operand and result of one float all_reduce in buffers that count in `alive` as long as they live.
struct Tensors {
  explicit Tensors(std::atomic<int>& alive, std::size_t elements, float value) {
    for (auto* buffer : {&operand, &result}) {
      alive.fetch_add(1);
      auto* data = new std::vector<float>(elements, value);
      *buffer = Buffer::wrap(data->data(), elements * sizeof(float), [data, &alive](void*) {
        delete data;
        alive.fetch_sub(1);
      });
    }
  }

  CollectiveCall call() const {
    return {.kind = CollectiveKind::all_reduce,
            .parts = {{.operand = operand->data(),
                       .result = result->data(),
                       .elements = static_cast<std::int64_t>(operand->bytes() / sizeof(float))}}};
  }
  float first() const { return *reinterpret_cast<const float*>(result->data()); }

  std::shared_ptr<Buffer> operand, result;
};

TEST(LocalOrder, WorksMayBeWaitedForInAnyOrder) {
  run_ranks_well(4, [](HostBackend& backend) {
    std::atomic<int> alive{0};
    const auto world = backend.communicator(first_ranks(4), "world");
    std::vector<Tensors> tensors;
    std::vector<std::shared_ptr<Work>> works;
    for (int i = 0; i < 40; ++i) {
      const std::size_t elements = i % 3 == 0 ? kLargeElements : 5;
      tensors.emplace_back(alive, elements, static_cast<float>(backend.rank() + i));
      works.push_back(world->start(tensors.back().call(), {tensors.back().operand}));
    }
    std::mt19937 random(static_cast<unsigned>(backend.rank()));
    std::vector<std::size_t> order(works.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t i : order) {
      works[i]->wait();
      works[i]->wait();  // the second is free
      EXPECT_TRUE(works[i]->test());
      EXPECT_EQ(tensors[i].first(), static_cast<float>(6 + 4 * i));
    }
    world->wait_released(works.size());
  });
}

// Two groups that share ranks, started in one global order, waited for in any.
TEST(LocalOrder, OverlappingGroupsInterleave) {
  constexpr int kRanks = 4;
  const std::vector<std::vector<std::int64_t>> groups = {
      {0, 1, 2}, {1, 2, 3}, {0, 3}, {3, 2, 1, 0}};
  for (unsigned seed = 0; seed < 5; ++seed) {
    run_ranks_well(kRanks, [&](HostBackend& backend) {
      std::mt19937 program(seed);  // the same on every rank
      std::mt19937 own(seed * 100 + static_cast<unsigned>(backend.rank()));
      std::atomic<int> alive{0};
      std::deque<Tensors> tensors;
      std::vector<std::pair<std::shared_ptr<Work>, float>> works;
      std::vector<std::pair<std::shared_ptr<Communicator>, std::uint64_t>> last;
      std::vector<std::size_t> at;
      for (int step = 0; step < 300; ++step) {
        const auto& members = groups[program() % groups.size()];
        const std::size_t elements = program() % 50 == 0 ? kLargeElements : program() % 20 + 1;
        if (std::find(members.begin(), members.end(), backend.rank()) == members.end()) continue;
        const auto group = backend.communicator(members, "g");
        tensors.emplace_back(alive, elements, static_cast<float>(step * backend.rank()));
        float expected = 0;
        for (const std::int64_t member : members) expected += static_cast<float>(step * member);
        Tensors& tensor = tensors.back();
        works.emplace_back(group->start(tensor.call(), {tensor.operand, tensor.result}), expected);
        last.emplace_back(group, works.back().first->sequence());
        at.push_back(tensors.size() - 1);
        while (!works.empty() && own() % 4 == 0) {
          const std::size_t pick = own() % works.size();
          works[pick].first->wait();
          EXPECT_EQ(tensors[at[pick]].first(), works[pick].second);
          works.erase(works.begin() + static_cast<std::ptrdiff_t>(pick));
          at.erase(at.begin() + static_cast<std::ptrdiff_t>(pick));
        }
      }
      backend.finish();
      for (const auto& [group, sequence] : last) group->wait_released(sequence);
      for (std::size_t i = 0; i < works.size(); ++i) {
        EXPECT_TRUE(works[i].first->test());
        EXPECT_EQ(tensors[at[i]].first(), works[i].second);
      }
    });
  }
}

TEST(LocalOrder, DroppedWorkTakesPlaceAndItsBuffersLiveUntilThen) {
  std::atomic<int> alive{0};
  std::vector<std::weak_ptr<Buffer>> results(3);
  run_ranks_well(3, [&](HostBackend& backend) {
    const auto world = backend.communicator(first_ranks(3), "world");
    for (const std::size_t elements : {std::size_t{4}, kLargeElements}) {
      const Tensors tensors(alive, elements, 1);
      world->start(tensors.call(), {tensors.operand, tensors.result});
      results[static_cast<std::size_t>(backend.rank())] = tensors.result;
    }  // work and handles are gone
    EXPECT_FALSE(results[static_cast<std::size_t>(backend.rank())].expired());
    world->start(barrier_call())->wait();
    world->wait_released(3);
    EXPECT_TRUE(results[static_cast<std::size_t>(backend.rank())].expired());
  });
  EXPECT_EQ(alive.load(), 0);
}

TEST(LocalOrder, BuffersOfARankThatLeftLiveAsLongAsPeersReadThem) {
  std::atomic<int> alive{0};
  std::atomic<bool> gone{false};
  const auto fabric = std::make_shared<LocalFabric>(2);
  const auto thrown = run_ranks(fabric, [&](HostBackend& backend) {
    const auto world = backend.communicator({0, 1}, "world");
    const Tensors tensors(alive, kLargeElements, 3);
    const auto work = world->start(tensors.call(), {tensors.operand, tensors.result});
    if (backend.rank() == 1) {
      backend.leave("done");
      EXPECT_THROW(work->wait(), CommError);
      EXPECT_THROW(world->start(barrier_call()), UsageError);
      gone.store(true);
      gone.notify_all();
      return;
    }
    gone.wait(false);
    work->wait();
    EXPECT_EQ(tensors.first(), 6);
  });
  EXPECT_EQ(thrown, (std::vector<std::string>{"", ""}));
  EXPECT_EQ(alive.load(), 0);  // nobody is left to read them
}

// What they look at may end with their rank.
TEST(LocalOrder, BuffersThatPeersAreDoneWithGoBeforeTheirRank) {
  std::barrier both(2);
  run_ranks_well(2, [&](HostBackend& backend) {
    const auto world = backend.communicator({0, 1}, "world");
    std::atomic<int> alive{0};
    {
      const Tensors tensors(alive, 4, 1);
      world->start(tensors.call(), {tensors.operand, tensors.result})->wait();
    }
    both.arrive_and_wait();
    backend.leave("");
    EXPECT_EQ(alive.load(), 0);
  });
}

// One closes the group while the other leaves: each buffer goes once, whoever of them is the last.
TEST(LocalOrder, AGroupMayBeClosedWhileTheLastOtherLeaves) {
  std::atomic<int> alive{0};
  for (int round = 0; round < 1000; ++round) {
    run_ranks_well(2, [&](HostBackend& backend) {
      const auto world = backend.communicator({0, 1}, "world");
      for (int i = 0; i < 3; ++i) {
        const Tensors tensors(alive, 4, 1);
        world->start(tensors.call(), {tensors.operand, tensors.result})->wait();
      }
      if (backend.rank() == 0) {
        backend.close({0, 1}, "world");
        static_cast<void>(world->released(3));
      }
    });
    ASSERT_EQ(alive.load(), 0);
  }
}

// The last to leave releases what the first one gave, and the release may use the fabric.
TEST(LocalOrder, AReleaseMayAskForGroups) {
  const auto fabric = std::make_shared<LocalFabric>(2);
  const GroupKey key{.tag = "world", .purpose = {}, .members = {0, 1}};
  std::vector<float> operand(4, 1);
  std::vector<std::vector<float>> results(2);
  std::atomic<bool> gone{false};
  bool released = false;
  const auto thrown = run_ranks(fabric, [&](HostBackend& backend) {
    const auto world = backend.communicator({0, 1}, "world");
    std::vector<std::shared_ptr<Buffer>> kept;
    if (backend.rank() == 0) {
      kept.push_back(Buffer::wrap(operand.data(), sizeof(float),
                                  [&](void*) { released = fabric->group(key) != nullptr; }));
    }
    const auto work = world->start(
        all_reduce_call(operand, results[static_cast<std::size_t>(backend.rank())]), kept);
    kept.clear();
    if (backend.rank() == 1) gone.wait(false);
    work->wait();
    if (backend.rank() == 1) return;
    backend.leave("");
    EXPECT_FALSE(released);
    gone.store(true);
    gone.notify_all();
  });
  EXPECT_EQ(thrown, std::vector<std::string>(2));
  EXPECT_TRUE(released);
}

// Rank 1 is done with all when rank 0 completes the first: what was kept for that goes meanwhile.
TEST(LocalOrder, AReleaseThatWaitsForACollectiveIsRefused) {
  HostOptions options;
  options.progress = false;  // which drops what was kept elsewhere
  std::barrier both(2);
  std::vector<float> operand(kLargeElements, 1);
  std::vector<std::vector<float>> results(2);
  int refused = 0;
  const auto thrown =
      run_ranks(std::make_shared<LocalFabric>(2, options), [&](HostBackend& backend) {
        const auto world = backend.communicator({0, 1}, "world");
        std::shared_ptr<Work> last;
        std::vector<std::shared_ptr<Buffer>> kept;
        if (backend.rank() == 0) {
          kept.push_back(Buffer::wrap(operand.data(), sizeof(float), [&](void*) {
            try {
              last->wait();
            } catch (const UsageError&) {
              ++refused;
            }
          }));
        }
        const auto first = world->start(
            all_reduce_call(operand, results[static_cast<std::size_t>(backend.rank())]), kept);
        kept.clear();
        world->start(barrier_call());
        last = world->start(barrier_call());
        both.arrive_and_wait();
        if (backend.rank() == 1) last->wait();
        both.arrive_and_wait();
        first->wait();
        last->wait();
      });
  EXPECT_EQ(thrown, std::vector<std::string>(2));
  EXPECT_EQ(refused, 1);
}

TEST(LocalOrder, ARankOwesNothingAfterItPublished) {
  // Rank 0 starts and then does nothing until all others are through.
  constexpr int kRanks = 3;
  constexpr int kCollectives = 20;
  std::atomic<int> through{0};
  std::atomic<int> alive{0};
  run_ranks_well(kRanks, [&](HostBackend& backend) {
    const auto world = backend.communicator(first_ranks(kRanks), "world");
    std::vector<Tensors> tensors;
    std::vector<std::shared_ptr<Work>> works;
    for (int i = 0; i < kCollectives; ++i) {
      tensors.emplace_back(alive, i % 2 == 0 ? kLargeElements : 8, static_cast<float>(i));
      works.push_back(
          world->start(tensors.back().call(), {tensors.back().operand, tensors.back().result}));
    }
    if (backend.rank() == 0) {
      for (int seen = through.load(); seen < kRanks - 1; seen = through.load()) through.wait(seen);
    }
    for (int i = 0; i < kCollectives; ++i) {
      works[static_cast<std::size_t>(i)]->wait();
      EXPECT_EQ(tensors[static_cast<std::size_t>(i)].first(), static_cast<float>(kRanks * i));
    }
    through.fetch_add(1);
    through.notify_all();
  });
  EXPECT_EQ(alive.load(), 0);
}

TEST(LocalOrder, WhatPeersComputedIsThereWhenTheWaitReturns) {
  std::atomic<int> alive{0};
  run_ranks_well(2, [&](HostBackend& backend) {
    const auto world = backend.communicator({0, 1}, "world");
    for (int i = 0; i < 150; ++i) {
      const Tensors tensors(alive, kLargeElements, static_cast<float>(i));
      world->start(tensors.call(), {tensors.operand, tensors.result})->wait();
      const auto* result = reinterpret_cast<const float*>(tensors.result->data());
      for (std::size_t at = 0; at < kLargeElements; at += 1000) {
        ASSERT_EQ(result[at], static_cast<float>(2 * i));
      }
    }
  });
}

TEST(LocalOrder, TheRingWraps) {
  constexpr int kRanks = 3;
  std::atomic<int> alive{0};
  run_ranks_well(kRanks, [&](HostBackend& backend) {
    const auto world = backend.communicator(first_ranks(kRanks), "world");
    std::deque<std::pair<Tensors, std::shared_ptr<Work>>> flying;
    const auto check_first = [&](int number) {
      flying.front().second->wait();
      EXPECT_EQ(flying.front().first.first(), static_cast<float>(kRanks * number));
      flying.pop_front();
    };
    int checked = 0;
    for (int i = 0; i < 3000; ++i) {
      Tensors tensors(alive, 3, static_cast<float>(i));
      auto work = world->start(tensors.call(), {tensors.operand, tensors.result});
      flying.emplace_back(tensors, std::move(work));
      // Rank 0 waits at once, the others run ahead as far as the ring allows.
      while (flying.size() > static_cast<std::size_t>(backend.rank() * 300)) check_first(checked++);
    }
    while (!flying.empty()) check_first(checked++);
    EXPECT_EQ(checked, 3000);
  });
  EXPECT_EQ(alive.load(), 0);
}

TEST(LocalOrder, NobodyEverWaits) {
  run_ranks_well(4, [](HostBackend& backend) {
    const auto world = backend.communicator(first_ranks(4), "world");
    std::atomic<int> alive{0};
    std::weak_ptr<Buffer> last;
    {
      for (int i = 0; i < 5000; ++i) {
        const Tensors tensors(alive, 3, 1);
        world->start(tensors.call(), {tensors.operand, tensors.result});
        last = tensors.result;
      }
    }
    // What a slow peer may still read: not more than may be under way.
    EXPECT_LE(alive.load(), 2 * static_cast<int>(kernels::kRingSlots + kMostQueued + 1));
    backend.finish();
    world->wait_released(5000);
    EXPECT_TRUE(last.expired());
    EXPECT_EQ(alive.load(), 0);
  });
}

TEST(LocalOrder, TestCompletesWhatIsReadyAndNeverWaits) {
  std::atomic<bool> tested{false};
  run_ranks_well(2, [&](HostBackend& backend) {
    const auto world = backend.communicator({0, 1}, "world");
    if (backend.rank() == 0) {
      const auto first = world->start(barrier_call());
      EXPECT_FALSE(first->test());  // rank 1 has not come, and won't before we say so
      tested.store(true);
      tested.notify_all();
      const auto second = world->start(barrier_call());
      while (!second->test()) std::this_thread::yield();
      EXPECT_TRUE(first->test());
    } else {
      tested.wait(false);
      world->start(barrier_call());
      world->start(barrier_call());
      backend.finish();
    }
  });
}

TEST(LocalOrder, APeerThatWaitsIsSeen) {
  std::barrier nobody_waits(3);
  run_ranks_well(3, [&](HostBackend& backend) {
    const auto world = backend.communicator(first_ranks(3), "world");
    for (int round = 0; round < 3; ++round) {
      if (backend.rank() == round) {
        while (!backend.peer_waits()) std::this_thread::yield();  // for the barrier we owe
      }
      world->start(barrier_call())->wait();
      nobody_waits.arrive_and_wait();
      EXPECT_FALSE(backend.peer_waits());
      nobody_waits.arrive_and_wait();
    }
  });
}

}  // namespace
}  // namespace tutti::runtime::local_order_test
