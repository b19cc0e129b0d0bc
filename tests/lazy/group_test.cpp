// Groups: their places, their engines, and their end.

#include <tutti/runtime/comm/engine.h>

#include <chrono>
#include <cstring>
#include <functional>
#include <future>

#include "tests/lazy/lazy_testing.h"

namespace tutti::test::group_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Group, KnowsItsRanksAndThisRanksPlace) {
  simulate(4, [](World& world) {
    const Group group({{3, 1}, {0, 2}}, "pairs");
    EXPECT_EQ(group.tag(), "pairs");
    EXPECT_EQ(group.size(), 2);
    const bool first = world.rank() % 2 == 1;
    EXPECT_THAT(group.ranks(), first ? ElementsAre(3, 1) : ElementsAre(0, 2));
    EXPECT_EQ(group.position(), world.rank() == 3 || world.rank() == 0 ? 0 : 1);
    const Group others({7, 8});
    EXPECT_EQ(others.position(), -1);
    EXPECT_THAT(others.ranks(), ElementsAre());
  });
}

TEST(Group, PartitionsCanBeWrittenInBraces) {
  simulate(4, [](World& world) {
    const Tensor x = tensor({static_cast<float>(world.rank())});
    const bool first = world.rank() < 2;
    EXPECT_EQ(all_reduce(x, {{0, 1}, {2, 3}}).item<float>(), first ? 1 : 5);
    EXPECT_EQ(all_reduce(x, {{0, 1}, {2, 3}}, Reduce::max).item<float>(), first ? 1 : 3);
    EXPECT_EQ(all_reduce(x, {{{0, 1}, {2, 3}}, "halves"}).item<float>(), first ? 1 : 5);
    EXPECT_EQ(all_gather(std::vector<Tensor>{x}, {{1, 0}, {3, 2}})[0].to_vector<float>(),
              first ? Floats({1, 0}) : Floats({3, 2}));
    EXPECT_EQ(all_reduce(x, {{0}, {1}, {2}, {3}}).item<float>(), static_cast<float>(world.rank()));
  });
}

TEST(Group, BracesAreAListOrAPartition) {
  using Ranks = std::vector<std::int64_t>;
  const auto expect = [](const Group& group, const Ranks& ranks, std::int64_t size,
                         std::string_view tag = "ranks") {
    EXPECT_EQ(group.data()->ranks, ranks);
    EXPECT_EQ(group.size(), size);
    EXPECT_EQ(group.tag(), tag);
  };
  expect({4, 5}, {4, 5}, 2);
  expect({{4, 5}}, {4, 5}, 2);
  expect({{4, 5}, {6, 7}}, {4, 5, 6, 7}, 2);
  expect({{4}, {5}}, {4, 5}, 1);
  expect({{4}}, {4}, 1);
  expect({{4, 5}, "tag"}, {4, 5}, 2, "tag");
  expect({{{4, 5}, {6, 7}}, "tag"}, {4, 5, 6, 7}, 2, "tag");
  expect(Group({4, 5}, std::string("tag")), {4, 5}, 2, "tag");
  expect(Group({{4, 5}, {6, 7}}), {4, 5, 6, 7}, 2);
  expect(Group({{4}, {5}}), {4, 5}, 1);
  expect(Group({Ranks{4}, Ranks{5}}), {4, 5}, 1);
  const int small = 4;
  const std::int64_t large = 5;
  expect({small, large}, {4, 5}, 2);
  expect({{small, large}}, {4, 5}, 2);
  expect_error<TypeError>([] { Group({{0, 1}, {2}}); }, {"equally many"});
}

TEST(GroupBackends, RoundTrip) {
  const Group group({0, 1});
  EXPECT_EQ(group.backends(), "cpu:shm,cuda:shm");
  const Group other = group.with_backends("cpu:shm,cuda:nccl");
  EXPECT_EQ(other.backends(), "cpu:shm,cuda:nccl");
  EXPECT_EQ(other.with_backends(other.backends()).backends(), other.backends());
  expect_error<UsageError>([&] { group.with_backends("cpu:smh"); }, {"no engine 'smh'", "shm"});
}

TEST(GroupBackends, AreOpenedWhenTheyAreUsed) {
  simulate(2, [](World& world) {
    // Nobody needs a GPU, or NCCL, for a value on the host.
    const Group group = Group(world).with_backends("nccl");
    EXPECT_EQ(group.backends(), "cpu:shm,cuda:nccl");
    EXPECT_EQ(all_reduce(tensor({1.F}), group).item<float>(), 2);
  });
}

// Carries one message, and nothing else.
class OneMessage final : public runtime::Engine {
 public:
  explicit OneMessage(const runtime::EngineGroup& group) : position_(group.position) {
    group.exchange("hello");
  }
  std::shared_ptr<runtime::EngineWork> start(const runtime::CollectiveCall& call) override {
    const runtime::TensorPart& part = call.parts.at(0);
    const auto bytes = static_cast<std::size_t>(part.elements * size_of(call.dtype));
    std::promise<void> done;
    if (call.pairs.at(0).first == position_) {
      const auto* const data = static_cast<const char*>(part.operand);
      said().set_value(std::string(data, data + bytes));
      done.set_value();
      return runtime::work_of(done.get_future());
    }
    return runtime::work_of(std::async(std::launch::async, [to = part.result, bytes] {
      const std::string data = said().get_future().get();
      std::memcpy(to, data.data(), bytes);
    }));
  }
  void abort(const std::string& /*reason*/) noexcept override {}

  static std::promise<std::string>& said() {
    static std::promise<std::string> message;
    return message;
  }

 private:
  const int position_;
};

TEST(GroupBackends, TakeMessagesWhereTheEngineCarriesThem) {
  runtime::EngineRegistry::process().add(
      "one_message",
      [](const runtime::EngineGroup& group) { return std::make_unique<OneMessage>(group); },
      {.messages = true});
  simulate(2, [](World& world) {
    const Group group = Group(world).with_backends("cpu:one_message");
    if (world.rank() == 0) {
      send(tensor({1.F, 2.F}), group, 1);
      return;
    }
    const Tensor received = recv(Shape{2}, DType::f32, group, 0);
    EXPECT_EQ(received.to_vector<float>(), Floats({1, 2}));
  });
  EXPECT_ANY_THROW(OneMessage::said().get_future());  // it was asked for
}

TEST(GroupBackends, ArePartOfTheText) {
  expect_error<UsageError>([] { Group({0, 1}).with_backends("cpu:nccl"); },
                           {"'nccl' moves what lies on GPUs"});
  const Group host = Group({0, 1}).with_backends("cpu:shm,cuda:nccl");
  auto g = compile([&](const Tensor& x) { return all_reduce(x, host); });
  EXPECT_THAT(g.lower({.world = 2}, abstract({2})).ir(),
              HasSubstr("backends = \"cpu:shm,cuda:nccl\""));
}

TEST(GroupClose, EndsItsUseOnThisRankForAllCopies) {
  simulate(2, [](World& world) {
    const Group group({0, 1}, "short");
    const Group copy({0, 1}, "short");
    auto step = compile([&](const Tensor& x) { return all_reduce(x, copy); });
    const Tensor x = tensor({1.F});
    EXPECT_EQ(step(x).item<float>(), 2);
    const AsyncTensor recorded = all_gather(x, group);
    group.close();
    EXPECT_EQ(recorded.to_vector<float>(), Floats({1, 1}));
    group.close();
    EXPECT_THROW(step(x).item<float>(), UsageError);
    EXPECT_THROW(all_reduce(x, copy).item<float>(), UsageError);
    // Other groups go on, also of the same ranks.
    EXPECT_EQ(all_reduce(x, Group({0, 1}, "long")).item<float>(), 2);
    EXPECT_EQ(all_reduce(x, world).item<float>(), 2);
  });
}

TEST(GroupClose, IsAnErrorForThoseWhoWaitForMore) {
  simulate(2, [](World& world) {
    const Group group({0, 1}, "short");
    EXPECT_EQ(all_reduce(tensor({1.F}), group).item<float>(), 2);
    if (world.rank() == 1) {
      group.close();
      return;
    }
    expect_error<CommError>([&] { all_reduce(tensor({1.F}), group).item<float>(); },
                            {"rank 1 closed group \"short\""});
  });
}

// Rank 1 closes the group and stays, which the last barrier sees to.
void expect_error_after_close(bool used, const std::function<void(const Group&)>& more) {
  simulate(2, [&](World& world) {
    const Group group = Group({0, 1}, "short").with_timeout(std::chrono::seconds(30));
    if (used) {
      EXPECT_EQ(all_reduce(tensor({1.F}), group).item<float>(), 2);
    }
    if (world.rank() == 1) {
      group.close();
    } else {
      expect_error<CommError>([&] { more(group); }, {"rank 1 closed group \"short\""}, kNowhere);
    }
    barrier(world);
  });
}

TEST(GroupClose, OfOneThatWasNeverUsedIsAnErrorForPeersToo) {
  expect_error_after_close(false, [](const Group& group) {
    static_cast<void>(all_reduce(tensor({1.F}), group).item<float>());
  });
}

TEST(GroupClose, IsAnErrorForThoseWhoWaitForAMessage) {
  for (const bool used : {true, false}) {
    expect_error_after_close(used, [](const Group& group) {
      static_cast<void>(recv({1}, DType::f32, group, 1).item<float>());
    });
  }
}

TEST(GroupClose, TakesItsMessagesAlong) {
  simulate(2, [](World& world) {
    const Group group({0, 1}, "short");
    if (world.rank() == 0) {
      send(tensor({3.F}), group, 1);
    } else {
      EXPECT_EQ(recv({1}, DType::f32, group, 0).item<float>(), 3);
    }
    group.close();
    EXPECT_THROW(
        {
          if (world.rank() == 0) {
            send(tensor({3.F}), group, 1);
            barrier(Group({0}, "me"));
          } else {
            recv({1}, DType::f32, group, 0).item<float>();
          }
        },
        UsageError);
  });
}

// Of one tag and one list of ranks, groups of two and of four.
TEST(GroupClose, OfAPartitionLeavesTheWholeAlone) {
  simulate(4, [](World& world) {
    const Tensor x = tensor({1.F});
    const Group halves({{0, 1}, {2, 3}});
    const Group all({0, 1, 2, 3});
    EXPECT_EQ(all_reduce(x, halves).item<float>(), 2);
    halves.close();
    EXPECT_EQ(all_reduce(x, all).item<float>(), 4);
    // Its own part is the same group, however it is written.
    const Group own = world.rank() < 2 ? Group({0, 1}) : Group({2, 3});
    expect_error<UsageError>([&] { all_reduce(x, own).item<float>(); }, {"was closed"});
  });
  simulate(4, [](World&) {
    const Tensor x = tensor({1.F});
    Group({0, 1, 2, 3}).close();
    EXPECT_EQ(all_reduce(x, Group({{0, 1}, {2, 3}})).item<float>(), 2);
  });
}

TEST(GroupClose, NeedsThisRank) {
  simulate(2, [](World& world) {
    if (world.rank() == 1) return;
    expect_error<UsageError>([] { Group({1}).close(); }, {"does not include this rank, 0"});
  });
}

}  // namespace
}  // namespace tutti::test::group_test
