// Engines of the user: how they are found and loaded, what work is, and that one that is loaded
// from a library carries out all that the runtime's own does.

#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/backend_config.h>
#include <tutti/runtime/comm/engine.h>

#include <array>
#include <atomic>
#include <barrier>
#include <cstddef>
#include <exception>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "tests/runtime/exchange_tables.h"
#include "tests/runtime/processes.h"
#include "tests/runtime/ranks.h"
#include "tests/support/command.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::runtime::engine_test {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::HasSubstr;

void load_sockets() {
  static const bool loaded = [] {
    EngineRegistry::process().load(TUTTI_BINARY_DIR "/bin/libsockets_engine.so");
    return true;
  }();
  EXPECT_TRUE(loaded);
}

template <class E, class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const E& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

// ---- The conformance test of all backends (local_test.cpp, shm_test.cpp).

class SocketsEngine : public testing::TestWithParam<int> {
 protected:
  void expect_right(std::vector<Exchange> (*all)(std::int64_t ranks)) const {
    load_sockets();
    const auto on_threads = [](std::int64_t ranks, const std::function<void(HostBackend&)>& body) {
      run_ranks_well(ranks, body);
    };
    run_exchanges(on_threads, GetParam(), all(GetParam()), "exchanges", "sockets");
  }
};

TEST_P(SocketsEngine, EveryKindAndPlace) { expect_right(every_kind_and_place); }
TEST_P(SocketsEngine, EveryKindAndDType) { expect_right(every_kind_and_dtype); }
TEST_P(SocketsEngine, EveryReduction) { expect_right(every_reduction); }
TEST_P(SocketsEngine, EveryRootAndPermutation) { expect_right(every_root_and_permutation); }
TEST_P(SocketsEngine, UnevenParts) { expect_right(uneven_parts); }
TEST_P(SocketsEngine, Lists) { expect_right(lists); }

INSTANTIATE_TEST_SUITE_P(Ranks, SocketsEngine, testing::Range(1, 5));

TEST(SocketsEngineOfProcesses, CarriesOutEveryKind) {
  load_sockets();
  const auto in_processes = [](std::int64_t ranks, const std::function<void(HostBackend&)>& body) {
    run_processes_well(ranks, body);
  };
  run_exchanges(in_processes, 3, every_kind_and_place(3), "exchanges", "sockets");
}

// ---- An engine in one process

// What members say lies in boxes that all see.
class BoxesEngine final : public Engine {
 public:
  explicit BoxesEngine(const EngineGroup& group)
      : position_(group.position), members_(static_cast<int>(group.members.size())) {
    group.exchange("hello");
  }

  std::shared_ptr<EngineWork> start(const CollectiveCall& call) override {
    const bool message = call.kind == CollectiveKind::send_recv;
    const int own = message ? static_cast<int>(call.pairs[0].second == position_) : position_;
    std::string box = "collective";
    if (message) {
      box = std::to_string(call.pairs[0].first) + " to " + std::to_string(call.pairs[0].second);
    }
    box += " " + std::to_string(started_[box]++);
    {
      const std::scoped_lock lock(boxes().mutex);
      boxes().said[box][own] = pack_operands(call, own);
    }
    return std::make_shared<BoxWork>(call, own, message ? 2 : members_, box, aborted_);
  }
  void abort(const std::string& /*reason*/) noexcept override { *aborted_ = true; }

  struct Boxes {
    std::mutex mutex;
    std::map<std::string, std::map<int, std::string>> said;
  };
  static Boxes& boxes() {
    static Boxes all;
    return all;
  }

 private:
  class BoxWork final : public EngineWork {
   public:
    BoxWork(CollectiveCall call, int own, int speakers, std::string box,
            std::shared_ptr<std::atomic<bool>> aborted)
        : call_(std::move(call)),
          own_(own),
          speakers_(speakers),
          box_(std::move(box)),
          aborted_(std::move(aborted)) {}
    bool test() override {
      if (*aborted_) throw CommError("aborted");
      const std::scoped_lock lock(boxes().mutex);
      const std::map<int, std::string>& said = boxes().said[box_];
      if (std::ssize(said) < speakers_) return false;
      std::vector<std::string> packed;
      for (const auto& [position, text] : said) packed.push_back(text);
      compute_results(call_, own_, packed);
      return true;
    }
    bool wait(milliseconds /*timeout*/) override { return test(); }
    // Whoever waits looks again before long.
    void on_complete(std::function<void(std::exception_ptr)> /*f*/) override {}

   private:
    const CollectiveCall call_;
    const int own_;
    const int speakers_;
    const std::string box_;
    const std::shared_ptr<std::atomic<bool>> aborted_;
  };

  const std::shared_ptr<std::atomic<bool>> aborted_ = std::make_shared<std::atomic<bool>>(false);
  const int position_;
  const int members_;
  std::map<std::string, int> started_;
};

void add_boxes() {
  static const bool added = [] {
    EngineRegistry::process().add(
        "boxes", [](const EngineGroup& group) { return std::make_unique<BoxesEngine>(group); },
        {.messages = true});
    return true;
  }();
  EXPECT_TRUE(added);
  BoxesEngine::boxes().said.clear();
}

// ---- What goes wrong

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

// Kernels read them where they lie in the message, behind a line of any length.
TEST(EngineMessage, HasItsOperandsAligned) {
  std::vector<double> x(3, 1);
  for (const char* const file : {"a.cpp", "aa.cpp", "aaa.cpp", "aaaa.cpp", "a_longer_name.cpp"}) {
    CollectiveCall call{.kind = CollectiveKind::all_reduce, .dtype = DType::f64};
    call.location = {file, 1};
    call.parts = {{.operand = x.data(), .elements = 1}, {.operand = x.data(), .elements = 3}};
    const std::string message = pack_operands(call, 0);
    EXPECT_EQ((message.size() - 3 * sizeof(double)) % alignof(std::max_align_t), 0U) << file;
  }
}

// ---- Messages

CollectiveCall message_call(std::vector<float>& x) {
  CollectiveCall call{.kind = CollectiveKind::send_recv};
  call.parts = {
      {.operand = x.data(), .result = x.data(), .elements = static_cast<std::int64_t>(x.size())}};
  return call;
}

TEST(EngineMessages, GoThroughAnEngineThatCarriesThem) {
  add_boxes();
  run_ranks_well(3, [](HostBackend& backend) {
    const auto group = backend.communicator({2, 0, 1}, "group", "boxes");
    std::vector<float> x(2, static_cast<float>(backend.rank())), sum;
    // Everybody sends before anybody receives, and one starts a collective in between.
    const std::int64_t next = (backend.rank() + 1) % 3;
    const std::int64_t before = (backend.rank() + 2) % 3;
    const auto to = backend.messages({backend.rank(), next}, "sent", *group);
    const auto from = backend.messages({before, backend.rank()}, "sent", *group);
    const auto sent = to->start(message_call(x));
    std::shared_ptr<Work> reduced;
    if (backend.rank() == 0) reduced = group->start(all_reduce_call(x, sum));
    std::vector<float> received(2);
    const auto got = from->start(message_call(received));
    if (backend.rank() != 0) reduced = group->start(all_reduce_call(x, sum));
    got->wait();
    reduced->wait();
    sent->wait();
    EXPECT_EQ(received, std::vector<float>(2, static_cast<float>(before)));
    EXPECT_EQ(sum, std::vector<float>(2, 3));
    backend.finish();
    backend.close({2, 0, 1}, "group");
  });
  EXPECT_TRUE(BoxesEngine::boxes().said.contains("1 to 2 0"));  // ranks 0 and 1
}

TEST(EngineMessages, ThatDifferNameBothCalls) {
  add_boxes();
  const std::vector<std::string> thrown = run_ranks(2, [](HostBackend& backend) {
    const auto group = backend.communicator({0, 1}, "group", "boxes");
    std::vector<float> x(2 + static_cast<std::size_t>(backend.rank()));
    backend.messages({0, 1}, "sent", *group)->start(message_call(x))->wait();
  });
  for (const std::string& text : thrown) {
    EXPECT_THAT(text, AllOf(HasSubstr("does not match"), HasSubstr("f32[2]"), HasSubstr("f32[3]")));
  }
}

TEST(EngineMessages, EndWithTheirGroup) {
  add_boxes();
  std::barrier both(2);
  const std::vector<std::string> thrown = run_ranks(2, [&](HostBackend& backend) {
    const auto group = backend.communicator({0, 1}, "group", "boxes");
    const auto messages = backend.messages({0, 1}, "sent", *group);
    std::vector<float> x(2);
    EXPECT_NO_THROW(messages->start(message_call(x))->wait());
    both.arrive_and_wait();
    if (backend.rank() == 0) {
      backend.abort({0, 1}, "group", "enough");
    } else {
      EXPECT_THAT(message_of<CommError>([&] { messages->start(message_call(x))->wait(); }),
                  HasSubstr("enough"));
    }
    both.arrive_and_wait();
  });
  EXPECT_EQ(thrown, std::vector<std::string>(2));
}

TEST(EngineGroups, ArePagesOfTheirOwnWhateverTagsSay) {
  load_sockets();
  std::vector<float> x(3, 1);  // peers may still read it when a rank is done
  run_ranks_well(2, [&x](HostBackend& backend) {
    std::vector<float> y, z;
    const auto engine = backend.communicator({0, 1}, "g", "sockets");
    const auto own = backend.communicator({0, 1}, "g (sockets)");
    const auto first = engine->start(all_reduce_call(x, y));
    own->start(all_reduce_call(x, z))->wait();
    first->wait();
    EXPECT_EQ(y, std::vector<float>(3, 2));
    EXPECT_EQ(z, std::vector<float>(3, 2));
  });
}

// ---- Finding engines

TEST(EngineRegistry, RefusesWhatItCanNotUse) {
  EngineRegistry registry;
  const auto nothing = [](const EngineGroup&) { return std::unique_ptr<Engine>(); };
  registry.add("one", nothing);
  EXPECT_TRUE(registry.contains("one"));
  EXPECT_THAT(registry.names(), testing::ElementsAre("one"));
  EXPECT_THAT(message_of<UsageError>([&] { registry.add("one", nothing); }), HasSubstr("already"));
  EXPECT_THAT(message_of<UsageError>([&] { registry.add("No name", nothing); }),
              HasSubstr("[a-z0-9_]"));
  EXPECT_THAT(message_of<UsageError>([&] { registry.add("two", nullptr); }), HasSubstr("factory"));
  EXPECT_THAT(message_of<UsageError>([&] { registry.factory("three"); }), HasSubstr("three"));
  EXPECT_THAT(message_of<EnvironmentError>([&] { registry.load("/nowhere/engine.so"); }),
              HasSubstr("/nowhere/engine.so"));
}

TEST(EngineRegistry, RefusesLibrariesThatHoldNoEngines) {
  EngineRegistry registry;
  EXPECT_THAT(
      message_of<EnvironmentError>([&] { registry.load("/lib/x86_64-linux-gnu/libm.so.6"); }),
      HasSubstr("holds no engines"));
  const test::TemporaryFolder folder;
  const std::string file = folder.write("text.so", "this is no library\n");
  EXPECT_THAT(message_of<EnvironmentError>([&] { registry.load(file); }),
              HasSubstr("can't load engines"));
}

TEST(BackendConfig, RoundTrips) {
  load_sockets();
  for (const char* text : {"cpu:shm,cuda:shm", "cpu:shm,cuda:nccl", "cpu:sockets,cuda:nccl"}) {
    EXPECT_EQ(BackendConfig::parse(text).text(), text);
    EXPECT_EQ(BackendConfig::parse(BackendConfig::parse(text).text()), BackendConfig::parse(text));
  }
  EXPECT_EQ(BackendConfig::parse("shm").text(), "cpu:shm,cuda:shm");
  EXPECT_EQ(BackendConfig::parse("cuda:nccl").text(), "cpu:shm,cuda:nccl");
  EXPECT_EQ(BackendConfig::parse("cuda:nccl,cpu:sockets").engine(Device::cpu()), "sockets");
  EXPECT_EQ(BackendConfig::parse("cuda:nccl").engine(Device::cuda(1)), "nccl");
}

TEST(BackendConfig, SaysWhatIsWrong) {
  const auto error = [](const char* text) {
    return message_of<UsageError>([&] { BackendConfig::parse(text); });
  };
  EXPECT_THAT(error(""), HasSubstr("name is missing"));
  EXPECT_THAT(error("nccI"), AllOf(HasSubstr("no engine 'nccI'"), HasSubstr("nccl")));
  EXPECT_THAT(error("cpu:shm,"), HasSubstr("'' names no device"));
  EXPECT_THAT(error("cpu:shm,shm"), HasSubstr("'shm' names no device"));
  EXPECT_THAT(error("tpu:shm"), HasSubstr("no kind of device 'tpu'"));
  EXPECT_THAT(error("cpu:shm,cpu:shm"), HasSubstr("'cpu' is there twice"));
  EXPECT_THAT(error("cpu:,cuda:shm"), HasSubstr("name is missing"));
  EXPECT_THAT(error("cpu:shm:shm"), HasSubstr("no engine 'shm:shm'"));
}

// ---- Work of a future

TEST(WorkOfAFuture, IsOverWhenTheFutureIs) {
  std::promise<void> promise;
  const std::shared_ptr<EngineWork> work = work_of(promise.get_future());
  EXPECT_FALSE(work->test());
  EXPECT_FALSE(work->wait(milliseconds(1)));
  std::promise<bool> called;
  work->on_complete(
      [&](const std::exception_ptr& failure) { called.set_value(failure != nullptr); });
  promise.set_value();
  EXPECT_TRUE(work->wait(milliseconds(60'000)));
  EXPECT_TRUE(work->test());
  EXPECT_FALSE(called.get_future().get());
  bool again = false;
  work->on_complete([&](const std::exception_ptr&) { again = true; });
  EXPECT_TRUE(again);
}

TEST(WorkOfAFuture, ThrowsWhatTheFutureHoldsEveryTime) {
  std::promise<void> promise;
  const std::shared_ptr<EngineWork> work = work_of(promise.get_future());
  promise.set_exception(std::make_exception_ptr(std::runtime_error("broken")));
  EXPECT_TRUE(work->test());
  for (int i = 0; i < 2; ++i) EXPECT_THROW(work->wait(milliseconds(0)), std::runtime_error);
  std::exception_ptr seen;
  work->on_complete([&](const std::exception_ptr& failure) { seen = failure; });
  EXPECT_NE(seen, nullptr);
  EXPECT_THROW(work_of(std::future<void>()), UsageError);
}

}  // namespace
}  // namespace tutti::runtime::engine_test
