// What goes wrong in engines of the user, and what the other ranks hear of it.

#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/engine.h>

#include <array>
#include <atomic>
#include <barrier>
#include <exception>
#include <functional>
#include <thread>

#include "tests/runtime/engine_testing.h"
#include "tests/runtime/ranks.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::runtime::engine_failure_test {
namespace {

using namespace engine_testing;  // NOLINT: the helpers of this folder
using testing::AllOf;
using testing::HasSubstr;

TEST(EngineFailure, OfCallsThatDifferIsAnErrorOnEveryRank) {
  load_sockets();
  const std::vector<std::string> thrown = run_ranks(2, [](HostBackend& backend) {
    const auto group = backend.communicator({0, 1}, "group", "sockets");
    std::vector<float> x(3, 1), y;
    CollectiveCall call = all_reduce_call(x, y);
    call.description.clear();
    call.location = {"model.cpp", static_cast<std::uint32_t>(10 + backend.rank())};
    if (backend.rank() == 1) call.reduction = Reduction::max;
    group->start(call)->wait();
  });
  for (const std::string& text : thrown) {
    EXPECT_THAT(text, AllOf(HasSubstr("collective #1 of group \"group\" does not match"),
                            HasSubstr("rank 0 calls all_reduce sum f32[3] (model.cpp:10)"),
                            HasSubstr("rank 1 calls all_reduce max f32[3] (model.cpp:11)")));
  }
}

TEST(EngineFailure, OfARankThatNeverComesIsATimeOut) {
  load_sockets();
  std::atomic<bool> waited = false;
  const std::vector<std::string> thrown = run_ranks(2, [&](HostBackend& backend) {
    const auto group = backend.communicator({0, 1}, "group", "sockets");
    std::vector<float> x(3, 1), y;
    group->start(all_reduce_call(x, y))->wait();
    if (backend.rank() == 1) {
      while (!waited) std::this_thread::yield();
      return;
    }
    group->set_timeout(milliseconds(50));
    const auto work = group->start(all_reduce_call(x, y));
    const std::string text = message_of<CommError>([&] { work->wait(); });
    EXPECT_THAT(text, AllOf(HasSubstr("time-out after 50 ms"), HasSubstr("#2")));
    waited = true;
  });
  EXPECT_EQ(thrown, std::vector<std::string>(2));
}

TEST(EngineFailure, AnAbortFreesWhoeverWaits) {
  load_sockets();
  const std::vector<std::string> thrown = run_ranks(2, [](HostBackend& backend) {
    const auto group = backend.communicator({0, 1}, "group", "sockets");
    std::vector<float> x(3, 1), y;
    group->start(all_reduce_call(x, y))->wait();
    if (backend.rank() == 1) {
      backend.abort({0, 1}, "group", "enough");
      return;
    }
    group->start(all_reduce_call(x, y))->wait();
  });
  EXPECT_THAT(thrown[0], HasSubstr("enough"));
}

TEST(EngineFailure, OfCallsFromTwoPlacesSaysWhatToDo) {
  load_sockets();
  const std::vector<std::string> thrown = run_ranks(2, [](HostBackend& backend) {
    const auto group = backend.communicator({0, 1}, "group", "sockets");
    std::vector<float> x(3, 1), y;
    CollectiveCall call = all_reduce_call(x, y);
    call.site = static_cast<std::uint32_t>(1 + backend.rank());
    group->start(call)->wait();
  });
  for (const std::string& text : thrown) {
    EXPECT_THAT(text, AllOf(HasSubstr("two places of the program"), HasSubstr("group.named("),
                            HasSubstr("programs_differ()")));
  }
}

TEST(EngineFailure, OfProgramsInAnotherOrderSaysSo) {
  load_sockets();
  const std::vector<std::string> thrown = run_ranks(2, [](HostBackend& backend) {
    const auto group = backend.communicator({0, 1}, "group", "sockets");
    std::vector<float> x(3, 1), y;
    CollectiveCall call = all_reduce_call(x, y);
    const auto order = static_cast<std::uint32_t>(backend.rank());
    call.program = {.set = 7 + order, .order = order};  // other calls
    group->start(call)->wait();
    call.program = {.set = 7, .order = order};
    group->start(call)->wait();
  });
  for (const std::string& text : thrown) {
    EXPECT_THAT(text, AllOf(HasSubstr("collective #2"), HasSubstr("in another order")));
  }
}

TEST(EngineFailure, WhatARankDoesNotStartFailsOnAllFromThereOn) {
  load_sockets();
  std::vector<float> x(3, 1);  // peers may still read it when a rank has thrown
  const std::vector<std::string> thrown = run_ranks(2, [&x](HostBackend& backend) {
    const auto group = backend.communicator({0, 1}, "group", "sockets");
    std::vector<float> y, z;
    group->start(all_reduce_call(x, y))->wait();
    const auto before = group->start(all_reduce_call(x, z));
    if (backend.rank() == 0) group->abandon("it has no memory");
    before->wait();
    EXPECT_EQ(z, std::vector<float>(3, 2));
    backend.communicator({0, 1}, "other")->start(all_reduce_call(x, y))->wait();
    group->start(all_reduce_call(x, y))->wait();
  });
  for (const std::string& text : thrown) EXPECT_THAT(text, HasSubstr("it has no memory"));
}

// The member that notices first may have earlier ones under way, which the failure leaves alone.
TEST(EngineFailure, LeavesAloneWhatWasStartedBefore) {
  load_sockets();
  std::vector<float> x(3, 1);
  std::array<std::vector<float>, 2> sums;
  std::atomic<bool> abandoned = false;
  const std::vector<std::string> thrown = run_ranks(2, [&](HostBackend& backend) {
    const auto group = backend.communicator({0, 1}, "group", "sockets");
    std::vector<float> y;
    group->start(all_reduce_call(x, y))->wait();
    std::vector<float>& sum = sums[static_cast<std::size_t>(backend.rank())];
    const auto before = group->start(all_reduce_call(x, sum));
    if (backend.rank() == 0) {
      group->abandon("it has no memory");
      abandoned = true;
    }
    while (!abandoned) std::this_thread::yield();
    EXPECT_THAT(message_of<CommError>([&] { group->start(all_reduce_call(x, y)); }),
                HasSubstr("it has no memory"));
    before->wait();
  });
  EXPECT_EQ(thrown, std::vector<std::string>(2));
  for (const std::vector<float>& sum : sums) EXPECT_EQ(sum, std::vector<float>(3, 2));
}

TEST(EngineFailure, OfTheFirstCallFreesWhoSetsItUp) {
  load_sockets();
  const std::vector<std::string> thrown = run_ranks(2, [](HostBackend& backend) {
    const auto group = backend.communicator({0, 1}, "group", "sockets");
    std::vector<float> x(3, 1), y;
    if (backend.rank() == 1) return group->abandon("it has no memory");
    EXPECT_THAT(message_of<CommError>([&] { group->start(all_reduce_call(x, y)); }),
                HasSubstr("it has no memory"));
  });
  EXPECT_EQ(thrown, std::vector<std::string>(2));
}

// It may have started what it will not complete.
TEST(EngineFailure, OfARankThatLeavesIsSeenByWhoeverWaits) {
  add_boxes();
  std::vector<float> x(3, 1);
  std::atomic<bool> gone = false;
  const std::vector<std::string> thrown = run_ranks(3, [&](HostBackend& backend) {
    const auto group = backend.communicator({0, 1, 2}, "group", "boxes");
    std::vector<float> y;
    group->start(all_reduce_call(x, y))->wait();
    if (backend.rank() == 2) {
      while (!gone) std::this_thread::yield();
      throw CommError("enough");
    }
    const auto work = group->start(all_reduce_call(x, y));
    gone = true;
    work->wait();
  });
  EXPECT_THAT(thrown[0], HasSubstr("enough"));
  EXPECT_THAT(thrown[1], HasSubstr("enough"));
}

// Another try would wait for members that are through with it.
TEST(EngineFailure, OfSettingItUpHoldsForTheGroup) {
  static const bool added = [] {
    EngineRegistry::process().add("never", [](const EngineGroup& group) {
      group.exchange("hello");
      if (group.position == 1) throw EnvironmentError("no card");
      group.exchange("again");
      return std::unique_ptr<Engine>();
    });
    return true;
  }();
  EXPECT_TRUE(added);
  std::vector<float> x(3, 1);
  const std::vector<std::string> thrown = run_ranks(2, [&x](HostBackend& backend) {
    const auto group = backend.communicator({0, 1}, "group", "never");
    std::vector<float> y;
    for (int attempt = 0; attempt < 2; ++attempt) {
      EXPECT_THAT(message_of<CommError>([&] { group->start(all_reduce_call(x, y)); }),
                  HasSubstr("no card"));
    }
  });
  EXPECT_EQ(thrown, std::vector<std::string>(2));
}

// Of rank 0 the works throw what is no std::exception, those of others wait for it.
class ThrowingEngine final : public Engine {
 public:
  explicit ThrowingEngine(const EngineGroup& group) : throws_(group.position == 0) {
    group.exchange("hello");
  }
  std::shared_ptr<EngineWork> start(const CollectiveCall& /*call*/) override {
    return std::make_shared<ThrowingWork>(throws_, aborted_);
  }
  void abort(const std::string& /*reason*/) noexcept override { *aborted_ = true; }

 private:
  class ThrowingWork final : public EngineWork {
   public:
    ThrowingWork(bool throws, std::shared_ptr<std::atomic<bool>> aborted)
        : throws_(throws), aborted_(std::move(aborted)) {}
    bool test() override {
      if (throws_) throw 42;
      return *aborted_;
    }
    bool wait(milliseconds /*timeout*/) override { return test(); }
    void on_complete(std::function<void(std::exception_ptr)> /*f*/) override {}

   private:
    const bool throws_;
    const std::shared_ptr<std::atomic<bool>> aborted_;
  };

  const bool throws_;
  const std::shared_ptr<std::atomic<bool>> aborted_ = std::make_shared<std::atomic<bool>>(false);
};

TEST(EngineFailure, MayBeWhatIsNoException) {
  static const bool added = [] {
    EngineRegistry::process().add("throwing", [](const EngineGroup& group) {
      return std::make_unique<ThrowingEngine>(group);
    });
    return true;
  }();
  EXPECT_TRUE(added);
  std::vector<float> x(3, 1);
  const std::vector<std::string> thrown = run_ranks(2, [&x](HostBackend& backend) {
    const auto group = backend.communicator({0, 1}, "group", "throwing");
    std::vector<float> y;
    const auto work = group->start(all_reduce_call(x, y));
    EXPECT_THAT(message_of<CommError>([&] { work->wait(); }),
                HasSubstr("rank 0: what it threw is no std::exception"));
    EXPECT_THROW(group->start(all_reduce_call(x, y))->wait(), CommError);
  });
  EXPECT_EQ(thrown, std::vector<std::string>(2));
}

// One that can't be made for such a reason leaves no peer waiting for it.
TEST(EngineFailure, OfSettingItUpMayBeWhatIsNoException) {
  static const bool added = [] {
    EngineRegistry::process().add("unmade", [](const EngineGroup& group) {
      if (group.position == 0) throw 42;
      group.exchange("hello");
      return std::unique_ptr<Engine>();
    });
    return true;
  }();
  EXPECT_TRUE(added);
  std::vector<float> x(3, 1);
  const std::vector<std::string> thrown = run_ranks(2, [&x](HostBackend& backend) {
    const auto group = backend.communicator({0, 1}, "group", "unmade");
    std::vector<float> y;
    EXPECT_THAT(message_of<CommError>([&] { group->start(all_reduce_call(x, y)); }),
                HasSubstr("what it threw is no std::exception"));
  });
  EXPECT_EQ(thrown, std::vector<std::string>(2));
}

// Rank 1 stays, but closes the group without having come to the engine.
TEST(EngineFailure, OfAPeerThatClosedTheGroupFreesWhoSetsItUp) {
  add_boxes();
  std::barrier both(2);
  HostOptions options;
  options.timeout = std::chrono::seconds(30);
  const auto fabric = std::make_shared<LocalFabric>(2, options);
  const std::vector<std::string> thrown = run_ranks(fabric, [&](HostBackend& backend) {
    backend.communicator({0, 1}, "group")->start(barrier_call())->wait();
    if (backend.rank() == 1) {
      backend.close({0, 1}, "group");
    } else {
      const auto group = backend.communicator({0, 1}, "group", "boxes");
      std::vector<float> x(3, 1), y;
      EXPECT_THAT(message_of<CommError>([&] { group->start(all_reduce_call(x, y)); }),
                  HasSubstr("rank 1 closed group \"group\""));
    }
    both.arrive_and_wait();
  });
  EXPECT_EQ(thrown, std::vector<std::string>(2));
}

}  // namespace
}  // namespace tutti::runtime::engine_failure_test
