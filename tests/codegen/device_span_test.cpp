// Spans of one rank with GPUs of ordinary memory, whose peers do as it does: a collective gives
// back what the rank has given.

#include <tutti/codegen/driver/executable.h>
#include <tutti/codegen/plan/device_span.h>
#include <tutti/runtime/comm/recorded_calls.h>
#include <tutti/runtime/comm/symmetric_memory.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/codegen/device_rank.h"
#include "tests/codegen/idle_group.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::codegen::device_span_test {
namespace {

using runtime::Accelerator;
using runtime::Buffer;
using testing::ElementsAre;
using BufferPtr = std::shared_ptr<Buffer>;
using Prepared = std::shared_ptr<const runtime::PreparedCall>;

struct ListedCall final : runtime::PreparedCall {
  explicit ListedCall(runtime::CollectiveCall call) : PreparedCall(std::move(call)) {}
};

struct DoneWork final : runtime::Work {
  explicit DoneWork(std::vector<BufferPtr> of) : results(std::move(of)) {}
  bool test() override { return true; }
  void wait() override {}
  std::uint64_t sequence() const override { return 1; }
  BufferPtr result(std::size_t part) const override { return results.at(part); }
  std::span<const void* const> arrive() override { return {}; }
  void finish() override {}
  void stop_reading() override {}

  const std::vector<BufferPtr> results;
};

// Calls of one part each.
class AgreedCalls final : public runtime::RecordedCalls {
 public:
  AgreedCalls(const std::vector<Prepared>& calls, Accelerator& on) : on_(on) {
    for (const Prepared& call : calls) {
      bytes_.push_back(static_cast<std::size_t>(call->call().parts.at(0).elements) * sizeof(float));
    }
  }

  bool is_warm(std::span<const Places>) const override { return true; }
  void get_ready(std::span<const Places> places) override {
    drop();
    asked_.assign(places.begin(), places.end());
    const auto place = [&](const BufferPtr& given, std::size_t bytes) {
      return given != nullptr ? given : on_.memory().allocate(bytes);
    };
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
      operands_.push_back(place(asked_[i].operands.at(0), bytes_[i]));
      results_.push_back(place(asked_[i].results.at(0), bytes_[i]));
      parts_.push_back(on_.record_part([&] { on_.copy(result(i, 0), operand(i, 0), bytes_[i]); }));
    }
  }
  bool is_recorded(std::span<const Places> places) const override {
    const auto alike = [](const Places& a, const Places& b) {
      const auto place = [](const BufferPtr& of) { return of == nullptr ? nullptr : of->data(); };
      return place(a.operands[0]) == place(b.operands[0]) &&
             place(a.results[0]) == place(b.results[0]);
    };
    return recorded_ && std::ranges::equal(asked_, places, alike);
  }
  std::shared_ptr<const Accelerator::Part> part(std::size_t call) const override {
    return parts_.at(call);
  }
  void* operand(std::size_t call, std::size_t) const override { return operands_.at(call)->data(); }
  void* result(std::size_t call, std::size_t) const override { return results_.at(call)->data(); }
  std::unique_ptr<Accelerator::JoinedRecording>& joined() override { return joined_; }
  void drop() noexcept override {
    recorded_ = recording_ = false;
    joined_ = nullptr;
    parts_.clear();
    operands_.clear();
    results_.clear();
  }
  Way begin(std::uint64_t, const runtime::StartOptions&) override {
    recording_ = !recorded_;
    return recorded_ ? Way::replayed : Way::recorded;
  }
  std::shared_ptr<runtime::Work> supply(std::span<const BufferPtr>) override { return nullptr; }
  void replay() override {
    joined_->replay();
    ++replays;
  }
  void end() override { recorded_ = std::exchange(recording_, false); }
  void give_up() noexcept override {}

  int replays = 0;

 private:
  Accelerator& on_;
  std::vector<std::size_t> bytes_;  // by call, as all below
  std::vector<Places> asked_;
  std::vector<BufferPtr> operands_;
  std::vector<BufferPtr> results_;
  std::vector<std::shared_ptr<const Accelerator::Part>> parts_;
  std::unique_ptr<Accelerator::JoinedRecording> joined_;
  bool recording_ = false;
  bool recorded_ = false;
};

// What a group's spans are to record, in their order.
struct Asked {
  std::vector<std::size_t> calls;  // of a span
  std::vector<std::shared_ptr<AgreedCalls>> recorded;

  int replays() const {
    int out = 0;
    for (const auto& each : recorded) out += each->replays;
    return out;
  }
};

class AgreedGroup final : public test::IdleGroup {
 public:
  AgreedGroup(std::vector<std::int64_t> members, std::string tag, Asked& asked)
      : IdleGroup(std::move(members), std::move(tag)), asked_(asked) {}

  using IdleGroup::start;
  Prepared prepare(runtime::CollectiveCall call) override {
    return std::make_shared<const ListedCall>(std::move(call));
  }
  std::shared_ptr<runtime::Work> start(const Prepared& /*call*/,
                                       std::span<const BufferPtr> operands,
                                       const runtime::StartOptions& options) override {
    std::vector<BufferPtr> results(options.results.begin(), options.results.end());
    results.resize(operands.size());
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const std::size_t bytes = operands[i]->bytes();
      if (results[i] == nullptr) results[i] = options.accelerator->memory().allocate(bytes);
      options.accelerator->copy(results[i]->data(), operands[i]->data(), bytes);
    }
    return std::make_shared<DoneWork>(std::move(results));
  }
  std::shared_ptr<runtime::SymmetricMemory> symmetric_memory(std::size_t bytes,
                                                             Accelerator* on) override {
    if (memory_ == nullptr) {
      memory_ = std::make_shared<runtime::SymmetricMemory>(on->memory().allocate(bytes));
    }
    return memory_;
  }
  std::shared_ptr<runtime::RecordedCalls> record_calls(std::vector<Prepared> calls,
                                                       Accelerator& on) override {
    asked_.calls.push_back(calls.size());
    return asked_.recorded.emplace_back(std::make_shared<AgreedCalls>(calls, on));
  }

 private:
  Asked& asked_;
  std::shared_ptr<runtime::SymmetricMemory> memory_;
};

class AgreedBackend final : public test::BackendOfIdleGroups {
 public:
  explicit AgreedBackend(std::map<std::string, Asked>& asked) : asked_(asked) {}

  std::string_view name() const override { return "agreed"; }
  std::shared_ptr<runtime::Communicator> communicator(std::vector<std::int64_t> members,
                                                      std::string tag,
                                                      const std::string&) override {
    auto& known = groups_[tag];
    if (known == nullptr) {
      known = std::make_shared<AgreedGroup>(std::move(members), tag, asked_[tag]);
    }
    return known;
  }

 private:
  std::map<std::string, Asked>& asked_;
  std::map<std::string, std::shared_ptr<AgreedGroup>> groups_;
};

const std::string kGroups = R"(
group @pair = {ranks = [0, 1], stride = 2, backends = "cpu:shm,cuda:nccl"}
group @other = {ranks = [0, 1], stride = 2, backends = "cpu:shm,cuda:nccl"}
)";

// "launch, start w0, wait w0": but for what allocates and frees.
std::string steps_text(const Plan& plan) {
  std::string out;
  for (const Step& step : plan.steps) {
    std::string text;
    if (std::holds_alternative<Launch>(step)) text = "launch";
    if (const CollectiveStart* const start = start_of(step)) {
      text = "start w" + std::to_string(start->work);
    }
    if (const auto* const wait = std::get_if<CollectiveWait>(&step)) {
      text = "wait w" + std::to_string(wait->work);
    }
    if (!text.empty()) out += (out.empty() ? "" : ", ") + text;
  }
  return out;
}

// What the first one gives is the program's, and the other's the caller's, who gets it in memory of
// his own.
TEST(DeviceSpan, WaitsSideBySideHaveTheirOwnCopies) {
  std::map<std::string, Asked> asked;
  test::DeviceRank rank(std::make_unique<AgreedBackend>(asked));
  Executable f(test::plan_of_device(kGroups + R"(
func @f(%x: f32[4] on cuda:0) -> (f32[4] on cuda:0, f32[4] on cuda:0) {
  %0 = add(%x, %x)
  %1 = all_reduce(%0) {op = "sum", group = @pair}
  %2 = mul(%x, %x)
  %3 = all_reduce(%2) {op = "sum", group = @pair}
  %4 = wait(%1)
  %5 = wait(%3)
  %6 = add(%4, %5)
  return %6, %5
})"),
               rank.context);
  ASSERT_EQ(steps_text(f.plan()), "launch, start w0, start w1, wait w0, wait w1, launch");
  std::vector<BufferPtr> kept;  // so that they lie elsewhere each time
  for (int run = 0; run < 6; ++run) {
    const auto n = static_cast<float>(run);
    kept.push_back(rank.put(Device::cuda(), {n, 1, 2, 3}));
    const std::vector<BufferPtr> inputs = {kept.back()};
    const auto results = f.run(inputs);
    EXPECT_THAT(rank.get(results[0]), ElementsAre(2 * n + n * n, 3, 8, 15));
    EXPECT_THAT(rank.get(results[1]), ElementsAre(n * n, 1, 4, 9));
    kept.push_back(results[1].buffer);
  }
  EXPECT_THAT(asked["pair"].calls, ElementsAre(2));
  EXPECT_EQ(asked["pair"].replays(), 4);
}

// Where the other group's call ends a span, w1 is under way, and w0 is waited for behind its start.
TEST(DeviceSpan, EndsInFrontOfCallsThatAreWaitedForBehindIt) {
  std::map<std::string, Asked> asked;
  test::DeviceRank rank(std::make_unique<AgreedBackend>(asked));
  Executable f(test::plan_of_device(kGroups + R"(
func @f(%x: f32[4] on cuda:0) -> (f32[4] on cuda:0) {
  %0 = add(%x, %x)
  %1 = all_reduce(%0) {op = "sum", group = @pair}
  %2 = mul(%x, %x)
  %3 = all_reduce(%2) {op = "sum", group = @pair}
  %4 = wait(%1)
  %5 = sum(%4) {axes = [0]}
  %6 = add(%x, %5)
  %7 = all_reduce(%6) {op = "sum", group = @other}
  %8 = wait(%7)
  %9 = wait(%3)
  %10 = add(%8, %9)
  return %10
})"),
               rank.context);
  ASSERT_EQ(steps_text(f.plan()),
            "launch, start w0, start w1, wait w0, launch, start w2, wait w2, wait w1, launch");
  for (int run = 0; run < 5; ++run) {
    const std::vector<BufferPtr> inputs = {rank.put(Device::cuda(), {1, 2, 3, 4})};
    EXPECT_THAT(rank.get(f.run(inputs)[0]), ElementsAre(22, 26, 32, 40));
  }
  EXPECT_THAT(asked["pair"].calls, ElementsAre());
  EXPECT_THAT(asked["other"].calls, ElementsAre(1));
  EXPECT_EQ(asked["other"].replays(), 3);
}

// Nobody here makes them in one: the recording has a node for what leads a call and for what
// follows it, each of which is made anew where its operands or results lie elsewhere.
TEST(DeviceSpan, WhatGoesWithACallIsAPartOfIt) {
  std::map<std::string, Asked> asked;
  test::DeviceRank rank(std::make_unique<AgreedBackend>(asked));
  Executable f(test::plan_of_device(kGroups + R"(
func @f(%x: f32[4] on cuda:0, %b: f32[4] on cuda:0) -> (f32[4] on cuda:0) {
  %0 = add(%x, %x)
  %1 = all_reduce(%0) {op = "sum", group = @pair}
  %2 = wait(%1)
  %3 = mul(%2, %b)
  %4 = all_reduce(%3) {op = "sum", group = @pair}
  %5 = wait(%4)
  %6 = add(%5, %x)
  return %6
})"),
               rank.context);
  ASSERT_EQ(steps_text(f.plan()), "start w0, wait w0, start w1, wait w1");
  std::vector<BufferPtr> kept;
  for (int run = 0; run < 6; ++run) {
    const auto n = static_cast<float>(run);
    kept.push_back(rank.put(Device::cuda(), {n, 1, 2, 3}));
    kept.push_back(rank.put(Device::cuda(), {1, n, 2, 2}));
    const std::vector<BufferPtr> inputs = {kept[kept.size() - 2], kept.back()};
    const auto results = f.run(inputs);
    EXPECT_THAT(rank.get(results[0]), ElementsAre(3 * n, 2 * n + 1, 10, 15));
    kept.push_back(results[0].buffer);
  }
  EXPECT_THAT(asked["pair"].calls, ElementsAre(2));
  EXPECT_EQ(asked["pair"].replays(), 4);
}

}  // namespace
}  // namespace tutti::codegen::device_span_test
