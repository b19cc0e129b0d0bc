#include <tutti/runtime/comm/engine.h>

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/runtime/processes.h"
#include "tests/runtime/ranks.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::runtime::engine_transport_test {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;

// Says what is done with it. Its works are never over.
class TalkativeEngine final : public Engine {
 public:
  static std::string& said() {
    static std::string text;
    return text;
  }
  ~TalkativeEngine() override { said() += "destroyed "; }
  std::shared_ptr<EngineWork> start(const CollectiveCall& /*call*/) override {
    return std::make_shared<TalkativeWork>();
  }
  void abort(const std::string& /*reason*/) noexcept override { said() += "aborted "; }

 private:
  class TalkativeWork final : public EngineWork {
   public:
    ~TalkativeWork() override { said() += "dropped "; }
    bool test() override {
      said() += "tested ";
      return false;
    }
    bool wait(std::chrono::milliseconds /*timeout*/) override { return test(); }
    void on_complete(std::function<void(std::exception_ptr)> /*f*/) override {}
  };
};

// An abort would end the rank's connections.
TEST(EngineTransport, AForkedProcessLeavesItsRanksEngineAlone) {
  static const bool added = [] {
    EngineRegistry::process().add("talkative", [](const EngineGroup& /*group*/) {
      return std::make_unique<TalkativeEngine>();
    });
    return true;
  }();
  EXPECT_TRUE(added);
  const std::vector<float> x(3, 1);
  std::vector<float> y;
  const auto fabric = std::make_shared<LocalFabric>(2);
  auto backend = std::make_unique<HostBackend>(fabric, 0);
  auto group = backend->communicator({0, 1}, "group", "talkative");
  auto work = group->start(all_reduce_call(x, y));
  TalkativeEngine::said().clear();
  Child child([&]() -> std::string {
    group->abort("for itself");
    work = nullptr;
    group = nullptr;
    backend = nullptr;
    return TalkativeEngine::said();
  });
  EXPECT_EQ(child.end(), "");
  work = nullptr;
  group = nullptr;
  backend = nullptr;
  EXPECT_THAT(TalkativeEngine::said(), AllOf(HasSubstr("aborted "), EndsWith("destroyed ")));
}

}  // namespace
}  // namespace tutti::runtime::engine_transport_test
