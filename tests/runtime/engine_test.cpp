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
#include <stdexcept>

#include "tests/runtime/engine_testing.h"
#include "tests/runtime/exchange_tables.h"
#include "tests/runtime/processes.h"
#include "tests/runtime/ranks.h"
#include "tests/support/command.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::runtime::engine_test {
namespace {

using namespace engine_testing;  // NOLINT: the helpers of this folder
using testing::AllOf;
using testing::HasSubstr;

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

TEST(EngineMessages, AreTheRuntimesOwnWhereTheEngineCarriesNone) {
  static const bool added = [] {
    EngineRegistry::process().add("collectives_only", [](const EngineGroup& group) {
      return std::make_unique<BoxesEngine>(group);
    });
    return true;
  }();
  EXPECT_TRUE(added);
  BoxesEngine::boxes().said.clear();
  const std::vector<float> x(2, 7);
  std::vector<float> sent = x, received(2);  // peers may still read it when a rank is done
  run_ranks_well(3, [&](HostBackend& backend) {
    const auto group = backend.communicator({0, 1, 2}, "group", "collectives_only");
    if (backend.rank() == 2) return;  // an engine would wait for all
    const auto messages = backend.messages({1, 0}, "sent", *group);
    messages->start(message_call(backend.rank() == 1 ? sent : received))->wait();
  });
  EXPECT_EQ(received, x);
  EXPECT_TRUE(BoxesEngine::boxes().said.empty());
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

// Whoever holds them, as functions do that outlive their World.
TEST(EngineGroups, KeepNoEngineWhereTheirRankHasLeft) {
  class CountedEngine final : public BoxesEngine {
   public:
    explicit CountedEngine(const EngineGroup& group) : BoxesEngine(group) { ++count(); }
    ~CountedEngine() override { --count(); }
    static std::atomic<int>& count() {
      static std::atomic<int> engines = 0;
      return engines;
    }
  };
  static const bool added = [] {
    EngineRegistry::process().add(
        "counted", [](const EngineGroup& group) { return std::make_unique<CountedEngine>(group); });
    return true;
  }();
  EXPECT_TRUE(added);
  BoxesEngine::boxes().said.clear();
  std::array<std::shared_ptr<Communicator>, 2> held;
  std::vector<float> x(3, 1);
  run_ranks_well(2, [&](HostBackend& backend) {
    const auto group = backend.communicator({0, 1}, "group", "counted");
    std::vector<float> y;
    group->start(all_reduce_call(x, y))->wait();
    EXPECT_GT(CountedEngine::count(), 0);
    held.at(static_cast<std::size_t>(backend.rank())) = group;
  });
  EXPECT_EQ(CountedEngine::count(), 0);
  std::vector<float> y;
  EXPECT_THAT(message_of<UsageError>([&] { held[0]->start(all_reduce_call(x, y)); }),
              HasSubstr("rank 0 has left: its World was closed"));
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
