#pragma once

#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/engine.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "tests/runtime/message_of.h"
#include <gtest/gtest.h>

// What tests of engines have in common.
namespace tutti::runtime::engine_testing {

using std::chrono::milliseconds;

inline void load_sockets() {
  static const bool loaded = [] {
    EngineRegistry::process().load(TUTTI_BINARY_DIR "/bin/libsockets_engine.so");
    return true;
  }();
  EXPECT_TRUE(loaded);
}

// An engine in one process. What members say lies in boxes that all see.
class BoxesEngine : public Engine {
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

inline void add_boxes() {
  static const bool added = [] {
    EngineRegistry::process().add(
        "boxes", [](const EngineGroup& group) { return std::make_unique<BoxesEngine>(group); },
        {.messages = true});
    return true;
  }();
  EXPECT_TRUE(added);
  BoxesEngine::boxes().said.clear();
}

}  // namespace tutti::runtime::engine_testing
