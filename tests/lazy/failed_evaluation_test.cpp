#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <utility>

#include "tests/lazy/lazy_testing.h"
#include "tests/support/allocation_count.h"

// Evaluations that fail on one rank between recording a collective and starting it: the peers get
// the right result or an error, never that of another call. The two steps of these programs mostly
// bear one name, so that nothing but their order tells them apart.
namespace tutti::test::failed_evaluation_test {
namespace {

constexpr SimulateOptions kQuickly = {.threads = 1, .timeout = std::chrono::seconds(20)};

enum class Way : std::uint8_t { lazy, eager, compiled };

// What a step gave on each rank; nothing where it threw.
struct Outcome {
  std::array<std::optional<float>, 2> first;
  std::array<std::optional<float>, 2> second;
  std::array<std::string, 2> said;  // what was thrown first
};

// Runs rank 0's first step so that it fails.
using Step = std::function<void()>;
using Mishap = std::function<void(detail::RankContext&, const Step&)>;

// Calls `on_stage` at every stage of compiling.
void with_stages(detail::RankContext& context, const Step& run,
                 std::function<void(std::string_view, const ir::Graph&)> on_stage) {
  context.compile_options.on_stage = std::move(on_stage);
  const auto none = [](detail::RankContext* c) { c->compile_options.on_stage = nullptr; };
  const std::unique_ptr<detail::RankContext, decltype(none)> end(&context, none);
  run();
}

struct Steps {
  bool operand_fails = false;
  bool one_name = true;
  bool looped = false;  // the first step is the last of three of a loop
};

Outcome two_steps(Way way, const Mishap& mishap, const Steps& steps = {}) {
  Outcome out;
  const auto step = [&](std::size_t rank, std::optional<float>& result, auto&& f) {
    try {
      result = f();
    } catch (const std::exception& error) {
      if (out.said[rank].empty()) out.said[rank] = error.what();
    }
  };
  std::atomic<bool> ready = false;
  std::atomic<bool> recorded = false;
  simulate(
      2,
      [&](World& world) {
        detail::RankContext& context = *world.context();
        context.compile_options.kernel_mode = codegen::KernelMode::evaluate;
        world.set_eager(way == Way::eager);
        const auto rank = static_cast<std::size_t>(world.rank());
        const Group broken({0, 1}, "broken");
        Group whole({0, 1}, "whole");
        if (steps.one_name) whole = whole.named("step");
        const auto all = [&](const Tensor& y) {
          if (!steps.looped) return Tensor(all_reduce(y, whole));
          const auto mean = [&](const Tensor&, const Tensor& each) {
            return Tensor(all_reduce(each, whole)) * 0.5F;
          };
          return for_loop(3, mean, y) * 2.F;
        };
        auto compiled = compile(all);
        const Tensor one = tensor({1.F});
        // What a thread needs once is there: the C library can't do without.
        const auto warm = [&](const Tensor& y) {
          return Tensor(all_reduce(y, Group({0, 1}, "warm"))) + 1.F;
        };
        eval(compile(warm)(one));
        eval(warm(one));
        Tensor x = one;
        if (steps.operand_fails) {
          std::optional<float> nothing;
          step(rank, nothing, [&] {
            if (rank == 0) x = all_reduce(x, broken);
            if (rank == 1) eval(all_gather(x, broken));
            return 0.F;
          });
        }
        step(rank, out.first[rank], [&] {
          float result = 0;
          // A rank that sees a peer wait evaluates by itself.
          if (mishap != nullptr) {
            if (rank == 1) ready = true;
            while (!(rank == 0 ? ready : recorded)) std::this_thread::yield();
          }
          Tensor total = way == Way::lazy ? all(x) : x;
          recorded = true;
          const Step run = [&] {
            if (way != Way::lazy) total = way == Way::compiled ? compiled(x) : all(x);
            result = total.item<float>();
          };
          if (rank == 0 && mishap != nullptr) {
            mishap(context, run);
          } else {
            run();
          }
          return result;
        });
        step(rank, out.second[rank],
             [&] { return all_reduce(one * (rank == 0 ? 10.F : 100.F), whole).item<float>(); });
      },
      kQuickly);
  return out;
}

void expect_nothing_wrong(const Outcome& outcome) {
  for (const std::size_t rank : {0, 1}) {
    SCOPED_TRACE("rank " + std::to_string(rank) + " said " + outcome.said[rank]);
    EXPECT_EQ(outcome.first[rank].value_or(2.F), 2.F);
    EXPECT_EQ(outcome.second[rank].value_or(110.F), 110.F);
    EXPECT_THAT(outcome.said[rank], testing::Not(testing::HasSubstr("time-out")));
  }
}

class FailedEvaluation : public testing::TestWithParam<Way> {};

// Where the compiler fails, before a collective or a loop of them. (Eager mode computes the numbers
// of a loop's steps before it is recorded, so that what fails there has called nothing.)
class FailedCompilation : public testing::TestWithParam<std::tuple<Way, bool>> {
 protected:
  static Way way() { return std::get<0>(GetParam()); }
  static bool looped() { return std::get<1>(GetParam()); }
};

// Which stages there are is found out on the way.
TEST_P(FailedCompilation, AThrowAtAnyStageOfCompilingLeavesNoWrongNumber) {
  int stages = 0;
  for (bool thrown = true; thrown; ++stages) {
    thrown = false;
    const auto mishap = [&](detail::RankContext& context, const Step& run) {
      with_stages(context, run, [&, seen = 0](std::string_view, const ir::Graph&) mutable {
        if (seen++ != stages || std::exchange(thrown, true)) return;
        throw EnvironmentError("the compiler broke");
      });
    };
    const Outcome outcome = two_steps(way(), mishap, {.looped = looped()});
    SCOPED_TRACE("stage " + std::to_string(stages));
    expect_nothing_wrong(outcome);
    if (!thrown) break;
    EXPECT_FALSE(outcome.first[0].has_value());
    EXPECT_THAT(outcome.said[0], testing::HasSubstr("the compiler broke"));
    // It threw once: by itself the call works, and so does what follows.
    EXPECT_EQ(outcome.first[1], 2.F);
    EXPECT_EQ(outcome.second[0], 110.F);
    EXPECT_EQ(outcome.second[1], 110.F);
  }
  EXPECT_GT(stages, 1);
}

// A compiler that always throws: nothing can be started.
TEST_P(FailedCompilation, WhatCannotBeStartedFailsOnThePeersWithTheReason) {
  const auto mishap = [](detail::RankContext& context, const Step& run) {
    with_stages(context, run, [](std::string_view, const ir::Graph&) {
      throw EnvironmentError("the compiler broke");
    });
  };
  const Outcome outcome = two_steps(way(), mishap, {.looped = looped()});
  expect_nothing_wrong(outcome);
  EXPECT_FALSE(outcome.first[0] || outcome.first[1] || outcome.second[0] || outcome.second[1]);
  EXPECT_THAT(outcome.said[1],
              testing::AllOf(testing::HasSubstr("rank 0 did not start all_reduce sum f32[1]"),
                             testing::HasSubstr("the compiler broke")));
}

TEST_P(FailedEvaluation, AnOperandThatFailedTakesItsCollectivesAlong) {
  const Outcome outcome = two_steps(GetParam(), nullptr, {.operand_fails = true});
  expect_nothing_wrong(outcome);
  EXPECT_FALSE(outcome.second[0] || outcome.second[1]);
}

// While an op is recorded or a function traced nothing has been called yet; so that the steps stand
// in two places here.
TEST_P(FailedEvaluation, AnAllocationThatFailsLeavesNoWrongNumber) {
  if (!counts_allocations()) GTEST_SKIP() << "malloc is the sanitizer's";
  bool failed = true;
  std::uint64_t number = 1;
  for (; failed; ++number) {
    SCOPED_TRACE("allocation " + std::to_string(number));
    failed = false;
    const auto mishap = [&](detail::RankContext&, const Step& run) {
      const FailingAllocation fails(number);
      try {
        run();
      } catch (...) {
        failed = fails.failed();
        throw;
      }
      failed = fails.failed();
    };
    const Outcome outcome = two_steps(GetParam(), mishap, {.one_name = GetParam() == Way::lazy});
    expect_nothing_wrong(outcome);
    if (testing::Test::HasFailure()) return;
  }
  RecordProperty("allocations", static_cast<int>(number));
  EXPECT_GT(number, 10);
}

std::string name_of(Way way) {
  if (way == Way::compiled) return "Compiled";
  return way == Way::eager ? "Eager" : "Lazy";
}

INSTANTIATE_TEST_SUITE_P(Ways, FailedEvaluation,
                         testing::Values(Way::lazy, Way::eager, Way::compiled),
                         [](const auto& way) { return name_of(way.param); });
INSTANTIATE_TEST_SUITE_P(
    Ways, FailedCompilation,
    testing::Values(std::tuple(Way::lazy, false), std::tuple(Way::eager, false),
                    std::tuple(Way::compiled, false), std::tuple(Way::lazy, true),
                    std::tuple(Way::compiled, true)),
    [](const auto& way) {
      return name_of(std::get<0>(way.param)) + (std::get<1>(way.param) ? "Loop" : "");
    });

// So much is recorded that it is computed, asked for or not.
TEST(AutomaticEvaluation, FailsForWhoReadsWhatFailedAlone) {
  simulate(1, [](World& world) {
    world.context()->compile_options.kernel_mode = codegen::KernelMode::evaluate;
    const Tensor bad = check_finite(tensor({0.F}) / 0.F, "bad");
    Tensor x = tensor({1.F});
    for (int i = 0; i < 11'000; ++i) x = -x;
    EXPECT_FALSE(computed(x));
    EXPECT_EQ(x.item<float>(), 1);
    EXPECT_THROW(bad.item<float>(), NumericError);
    EXPECT_THROW(bad.item<float>(), NumericError);
  });
}

// What was recorded behind the call that failed, over another group, and does not need it.
TEST(LostCalls, CallsThatDoNotNeedWhatFailedAreStarted) {
  std::atomic<bool> recorded = false;
  simulate(
      2,
      [&](World& world) {
        const Group broken({0, 1}, "broken");
        const Group whole = Group({0, 1}, "whole").named("step");
        const Tensor x = tensor({1.F});
        if (world.rank() == 0) {
          const AsyncTensor first = all_reduce(x, broken);
          const Tensor waits = first.wait() * 2.F;
          const Tensor never = all_reduce(waits, broken);
          const AsyncTensor step = all_reduce(x, whole);
          recorded = true;
          EXPECT_THROW(waits.item<float>(), CommError);
          EXPECT_THROW(never.item<float>(), CommError);
          EXPECT_EQ(step.item<float>(), 2);
          EXPECT_EQ(all_reduce(x * 10.F, whole).item<float>(), 110);
        } else {
          while (!recorded) std::this_thread::yield();
          EXPECT_THROW(all_gather(x, broken).to_vector<float>(), CommError);
          EXPECT_EQ(all_reduce(x, whole).item<float>(), 2);
          EXPECT_EQ(all_reduce(x * 100.F, whole).item<float>(), 110);
        }
      },
      kQuickly);
}

// Over one group the ones behind it can't be told from it.
TEST(LostCalls, CallsBehindOneThatIsNotStartedFailInItsGroupAlone) {
  std::atomic<bool> recorded = false;
  simulate(
      2,
      [&](World& world) {
        const Group broken({0, 1}, "broken");
        const Group one = Group({0, 1}, "one").named("call");
        const Group other = Group({0, 1}, "other").named("call");
        const Tensor x = tensor({1.F});
        if (world.rank() == 0) {
          const Tensor lost = all_reduce(x, broken);
          const AsyncTensor before = all_reduce(x, one);
          const AsyncTensor needs = all_reduce(lost, one);
          const AsyncTensor behind = all_reduce(x, one);
          const AsyncTensor elsewhere = all_reduce(x, other);
          recorded = true;
          EXPECT_THROW(lost.item<float>(), CommError);
          EXPECT_EQ(before.item<float>(), 2);
          EXPECT_THROW(needs.item<float>(), CommError);
          EXPECT_THROW(behind.item<float>(), CommError);
          EXPECT_EQ(elsewhere.item<float>(), 2);
        } else {
          while (!recorded) std::this_thread::yield();
          EXPECT_THROW(all_gather(x, broken).to_vector<float>(), CommError);
          EXPECT_EQ(all_reduce(x, one).item<float>(), 2);
          const std::string reason = "rank 0 did not start all_reduce sum f32[1]";
          expect_error<CommError>([&] { all_reduce(x, one).item<float>(); }, {reason});
          expect_error<CommError>([&] { all_reduce(x, one).item<float>(); }, {reason});
          EXPECT_EQ(all_reduce(x, other).item<float>(), 2);
        }
      },
      kQuickly);
}

// A compiled function of two collectives, one of which needs the argument that failed.
TEST(LostCalls, ACompiledFunctionStartsWhatDoesNotNeedAFailedArgument) {
  simulate(
      2,
      [](World& world) {
        const Group broken({0, 1}, "broken");
        const Group one = Group({0, 1}, "one").named("call");
        const Group other = Group({0, 1}, "other").named("call");
        auto both = compile([&](const Tensor& a, const Tensor& b) {
          return std::pair(Tensor(all_reduce(a, one)), Tensor(all_reduce(b * 2.F, other)));
        });
        const Tensor x = tensor({1.F});
        if (world.rank() == 0) {
          const Tensor lost = all_reduce(x, broken);
          EXPECT_THROW(both(lost, x), CommError);
          EXPECT_EQ(all_reduce(x, other).item<float>(), 2);
        } else {
          EXPECT_THROW(all_gather(x, broken).to_vector<float>(), CommError);
          expect_error<CommError>([&] { all_reduce(x, one).item<float>(); },
                                  {"rank 0 did not start all_reduce sum f32[1]"});
          EXPECT_EQ(all_reduce(x * 2.F, other).item<float>(), 4);
          EXPECT_EQ(all_reduce(x, other).item<float>(), 2);
        }
      },
      kQuickly);
}

// One of two collectives needs a number that does not fit, on one rank alone.
TEST(LostCalls, ACallThatIsRefusedForItsNumberStartsNothingAndThePeersAreTold) {
  simulate(
      2,
      [](World& world) {
        const Group one({0, 1}, "one");
        const Group other({0, 1}, "other");
        auto both = compile([&](const Tensor& x, float y) {
          return std::pair(Tensor(all_reduce(x, one)), Tensor(all_reduce(x * y, other)));
        });
        const Tensor x = ones({1}, DType::f16);
        const auto read = [](const Tensor& t) { return cast(t, DType::f32).item<float>(); };
        const auto [sum, scaled] = both(x, 3.F);
        EXPECT_EQ(read(sum), 2);
        EXPECT_EQ(read(scaled), 6);
        barrier(world);  // who still completes the first call would be told there
        if (world.rank() == 0) {
          expect_error<TypeError>([&] { both(x, 65536.F); }, {"65536 meets a tensor of f16"});
        } else {
          const auto is_told = testing::ThrowsMessage<CommError>(
              testing::AllOf(testing::HasSubstr("rank 0 did not start all_reduce sum f16[1]"),
                             testing::HasSubstr("the number 65536")));
          EXPECT_THAT([&] { read(both(x, 3.F).first); }, is_told);
          EXPECT_THAT([&] { read(all_reduce(x, other)); }, is_told);
        }
      },
      kQuickly);
}

}  // namespace
}  // namespace tutti::test::failed_evaluation_test
