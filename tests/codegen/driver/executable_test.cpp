#include <tutti/codegen/driver/compile.h>
#include <tutti/codegen/plan/placement.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/host_backend.h>
#include <tutti/runtime/comm/local.h>

#include <algorithm>
#include <numeric>
#include <thread>

#include "tests/support/run_graph.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::codegen::executable_test {
namespace {

using runtime::Buffer;
using BufferPtr = std::shared_ptr<Buffer>;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::unique_ptr<runtime::Context> lone_rank() {
  return std::make_unique<runtime::Context>(
      std::make_unique<runtime::HostBackend>(std::make_shared<runtime::LocalFabric>(1), 0), 1);
}

std::unique_ptr<Executable> executable_of(const std::string& text, runtime::Context& context,
                                          PlanMode mode = kDefaultPlanMode) {
  CompileOptions options;
  options.plan_mode = mode;
  return compile(ir::parse(text).functions.at(0), context, options);
}

BufferPtr buffer_of(runtime::Context& context, std::vector<float> values) {
  BufferPtr buffer = context.allocator.allocate(values.size() * sizeof(float));
  std::ranges::copy(values, reinterpret_cast<float*>(buffer->data()));
  return buffer;
}

std::vector<float> values_of(const Executable::Result& result) {
  const BufferPtr buffer = result.wait();
  const auto* const data = reinterpret_cast<const float*>(buffer->data());
  return {data, data + result.type.shape.elements()};
}

constexpr const char* kStep = R"(
func @step(%x: f32[4], %w: f32[4]) -> (f32[4], f32[4], f32[4]) {
  %0 = mul(%x, %w) : f32[4]
  %1 = add(%w, %0) : f32[4]
  return %1, %0, %x
})";

TEST(Executable, WalksFirstAndIsNativeFromTheSecondRun) {
  const auto context = lone_rank();
  const auto step = executable_of(kStep, *context);
  const std::vector<BufferPtr> inputs = {buffer_of(*context, {1, 2, 3, 4}),
                                         buffer_of(*context, {5, 6, 7, 8})};
  for (int run = 0; run < 3; ++run) {
    EXPECT_EQ(step->is_native(), run > 1 && TUTTI_HAS_LLVM != 0);
    const auto results = step->run(inputs);
    EXPECT_THAT(values_of(results[0]), ElementsAre(10, 18, 28, 40));
    EXPECT_THAT(values_of(results[1]), ElementsAre(5, 12, 21, 32));
    EXPECT_EQ(results[2].buffer, inputs[0]);
  }
}

// Native code of many steps is several functions.
std::string long_program() {
  std::string text = "func @powers(%x: f32[2,2], %w: f32[2,2]) -> (f32[2,2]) {\n";
  std::string last = "%x";
  for (int i = 0; i < 1500; ++i) {
    const std::string next = "%" + std::to_string(i);
    text += "  " + next + " = matmul(" + last + ", %w) : f32[2,2]\n";
    last = next;
  }
  return text + "  return " + last + "\n}";
}

// A run that may have to wait on its way walks, whichever it is.
TEST(Executable, IsNativeInThirdRunsToo) {
  const auto context = lone_rank();
  const auto twice = executable_of(R"(
func @twice(%x: f32[2]) -> (f32[2]) {
  %0 = add(%x, %x) : f32[2]
  return %0
})",
                                   *context);
  const std::vector<BufferPtr> inputs = {buffer_of(*context, {1, 2})};
  const std::vector<Executable::Pending> none(1);
  for (int run = 0; run < 4; ++run) {
    const Executable::RunOptions behind{.pending = none};
    const auto results = twice->run(inputs, run == 1 ? behind : Executable::RunOptions());
    EXPECT_THAT(values_of(results[0]), ElementsAre(2, 4));
  }
  EXPECT_EQ(twice->is_native(), kDefaultPlanMode == PlanMode::native);
}

TEST(Executable, LongPlansRunNatively) {
  const auto context = lone_rank();
  const auto powers = executable_of(long_program(), *context);
  EXPECT_GE(powers->plan().steps.size(), 1500U);
  const std::vector<BufferPtr> inputs = {buffer_of(*context, {1, 2, 3, 4}),
                                         buffer_of(*context, {1, 1, 0, 1})};
  for (int run = 0; run < 3; ++run) {
    EXPECT_EQ(powers->is_native(), run > 1 && TUTTI_HAS_LLVM != 0);
    EXPECT_THAT(values_of(powers->run(inputs)[0]), ElementsAre(1, 1502, 3, 4504));
  }
}

// Walking takes longer than compiling where many steps are run, or may be.
TEST(Executable, LongLoopsAreNativeFromTheFirstRunOn) {
  const auto of_lengths = [](int outer, int inner) {
    return "private func @step(%x: f32[2]) { %0 = neg(%x) return %0 }\n"
           "private func @row(%x: f32[2]) {\n"
           "  %0 = scan(%x) {body = @step, carries = 1, sequences = 0, length = " +
           std::to_string(inner) +
           "}\n  return %0\n}\n"
           "func @f(%x: f32[2]) {\n"
           "  %0 = scan(%x) {body = @row, carries = 1, sequences = 0, length = " +
           std::to_string(outer) + "}\n  return %0\n}\n";
  };
  const std::string until = R"(
private func @few(%x: f32[2]) {
  %0 = sum(%x) {axes = [0]}
  %most = constant() {value = f32[] 100}
  %1 = lt(%0, %most)
  return %1
}
private func @twice(%x: f32[2]) { %0 = add(%x, %x) return %0 }
func @f(%x: f32[2]) {
  %0 = while_loop(%x) {condition = @few, body = @twice, carries = 1}
  return %0
})";
  const auto native_after_one_run = [](const std::string& text) {
    const auto context = lone_rank();
    const auto program = executable_of(text, *context);
    const std::vector<BufferPtr> inputs = {buffer_of(*context, {1, 2})};
    program->run(inputs);
    return program->is_native();
  };
  constexpr bool kCompiles = kDefaultPlanMode == PlanMode::native;
  EXPECT_EQ(native_after_one_run(of_lengths(40, 40)), kCompiles);
  EXPECT_EQ(native_after_one_run(until), kCompiles);
  EXPECT_FALSE(native_after_one_run(of_lengths(20, 20)));
}

// Its addresses would fill much of a thread's stack.
TEST(Executable, WalksWhatTakesThousandsOfAddresses) {
  const auto context = lone_rank();
  constexpr int kOperands = 10'000;
  std::string text = "func @many(%x: f32[2], %y: f32[2]) -> (f32[20000]) {\n  %0 = concat(%x";
  for (int i = 1; i < kOperands; ++i) text += i % 2 == 0 ? ", %x" : ", %y";
  const auto many = executable_of(text + ") {axis = 0} : f32[20000]\n  return %0\n}", *context);
  const std::vector<BufferPtr> inputs = {buffer_of(*context, {1, 2}), buffer_of(*context, {3, 4})};
  for (int run = 0; run < 3; ++run) {
    const std::vector<float> values = values_of(many->run(inputs)[0]);
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(values[i], static_cast<float>(i % 4 + 1)) << i;
    }
  }
  EXPECT_FALSE(many->is_native());
}

TEST(Executable, CanBeToldToWalk) {
  const auto context = lone_rank();
  const auto step = executable_of(kStep, *context, PlanMode::walk);
  const std::vector<BufferPtr> inputs = {buffer_of(*context, {1, 2, 3, 4}),
                                         buffer_of(*context, {5, 6, 7, 8})};
  for (int run = 0; run < 3; ++run) step->run(inputs);
  EXPECT_FALSE(step->is_native());
}

// ---- Donation

TEST(Executable, ResultsTakeOverArgumentsThatAreGivenUp) {
  const auto context = lone_rank();
  const auto step = executable_of(R"(
func @step(%x: f32[4], %w: f32[4]) -> (f32[4]) {
  %0 = add(%w, %x) : f32[4]
  return %0
})",
                                  *context);
  for (int run = 0; run < 3; ++run) {
    std::vector<BufferPtr> inputs = {buffer_of(*context, {1, 2, 3, 4}),
                                     buffer_of(*context, {5, 6, 7, 8})};
    const BufferPtr kept = inputs[0];
    const Buffer* const given = inputs[1].get();
    std::vector<Executable::Result> results;
    step->run(inputs, {.donate = true}, results);
    EXPECT_THAT(values_of(results[0]), ElementsAre(6, 8, 10, 12));
    if (!step->plan().donations.empty() && step->plan().donations[0].input == 1) {
      EXPECT_EQ(results[0].buffer.get(), given);
    } else {
      EXPECT_NE(results[0].buffer, kept) << "somebody holds it";
    }
    EXPECT_EQ(*reinterpret_cast<const float*>(kept->data()), 1);
  }
}

constexpr const char* kIncrement = R"(
func @increment(%x: f32[4]) -> (f32[4]) {
  %0 = add(%x, %x) : f32[4]
  return %0
})";

TEST(Executable, MemoryThatSomebodyHoldsOrThatIsNotOursIsNeverOverwritten) {
  const auto context = lone_rank();
  const auto increment = executable_of(kIncrement, *context);
  ASSERT_EQ(increment->plan().donations.size(), 1);
  std::vector<Executable::Result> results;
  std::vector<float> foreign = {1, 2, 3, 4};
  std::vector<BufferPtr> inputs = {Buffer::wrap(foreign.data(), 16)};
  increment->run(inputs, {.donate = true}, results);
  EXPECT_NE(results[0].buffer, inputs[0]);
  inputs = {buffer_of(*context, {1, 2, 3, 4})};
  increment->run(inputs, {}, results);
  EXPECT_NE(results[0].buffer, inputs[0]) << "not given up";
  increment->run(inputs, {.donate = true}, results);
  EXPECT_EQ(results[0].buffer, inputs[0]);
  EXPECT_THAT(values_of(results[0]), ElementsAre(2, 4, 6, 8));
}

TEST(Executable, AnArgumentThatIsPassedTwiceIsKept) {
  const auto context = lone_rank();
  const auto add = executable_of(R"(
func @add(%x: f32[4], %y: f32[4]) -> (f32[4]) {
  %0 = add(%x, %y) : f32[4]
  return %0
})",
                                 *context);
  std::vector<BufferPtr> inputs = {buffer_of(*context, {1, 2, 3, 4})};
  inputs.push_back(inputs[0]);
  std::vector<Executable::Result> results;
  add->run(inputs, {.donate = true}, results);
  EXPECT_NE(results[0].buffer, inputs[0]);
}

TEST(Executable, AnUpdateLeavesTheRestOfAnArgumentThatIsGivenUp) {
  const auto context = lone_rank();
  const auto put = executable_of(R"(
func @put(%x: f32[4], %update: f32[2], %at: i32[1]) -> (f32[4]) {
  %0 = dynamic_update_slice(%x, %update, %at) : f32[4]
  return %0
})",
                                 *context);
  ASSERT_EQ(put->plan().donations.size(), 1);
  for (int run = 0; run < 3; ++run) {
    const BufferPtr at = context->allocator.allocate(4);
    *reinterpret_cast<std::int32_t*>(at->data()) = 1;
    std::vector<BufferPtr> inputs = {buffer_of(*context, {1, 2, 3, 4}), buffer_of(*context, {5, 6}),
                                     at};
    std::vector<Executable::Result> results;
    put->run(inputs, {}, results);
    EXPECT_NE(results[0].buffer, inputs[0]) << "not given up";
    EXPECT_THAT(values_of(results[0]), ElementsAre(1, 5, 6, 4));
    put->run(inputs, {.donate = true}, results);
    EXPECT_EQ(results[0].buffer, inputs[0]);
    EXPECT_THAT(values_of(results[0]), ElementsAre(1, 5, 6, 4));
  }
}

// ---- Memory

TEST(Executable, ProgramsOfARankShareOneArena) {
  const auto context = lone_rank();
  const auto used = [&] { return context->allocator.used_bytes(); };
  constexpr const char* kLarge = R"(
func @large(%x: f32[256,1024]) -> (f32[256]) {
  %0 = transpose(%x) {permutation = [1, 0]} : f32[1024,256]
  %1 = matmul(%x, %0) : f32[256,256]
  %2 = exp(%1) : f32[256,256]
  %3 = matmul(%2, %2) : f32[256,256]
  %4 = sum(%3) {axes = [0]} : f32[256]
  return %4
})";
  const auto one = executable_of(kLarge, *context);
  const auto two = executable_of(kLarge, *context);
  ASSERT_GT(one->plan().arena_bytes, 0);
  const std::vector<BufferPtr> inputs = {context->allocator.allocate(256 * 1024 * 4)};
  std::fill_n(reinterpret_cast<float*>(inputs[0]->data()), 256 * 1024, 0.F);
  one->run(inputs);
  const std::size_t before = used();
  two->run(inputs);
  one->run(inputs);
  EXPECT_EQ(used(), before);
}

TEST(Executable, NothingIsHeldBetweenRuns) {
  const auto context = lone_rank();
  const auto increment = executable_of(kIncrement, *context);
  std::vector<BufferPtr> inputs = {buffer_of(*context, {1, 2, 3, 4})};
  for (int run = 0; run < 3; ++run) {
    const auto results = increment->run(inputs);
    EXPECT_EQ(inputs[0].use_count(), 1);
    EXPECT_EQ(results[0].buffer.use_count(), 1);
  }
}

// ---- Failures

class Failing final : public KernelCode {
 public:
  void run(void* const*, std::int64_t, std::int64_t) const override {
    throw EnvironmentError("the library has no memory");
  }
};

TEST(Executable, WhatAKernelThrowsIsThrownFromNativeCodeToo) {
  const auto context = lone_rank();
  Plan plan = executable_of(kIncrement, *context)->plan();
  for (Step& step : plan.steps) {
    auto* const launch = std::get_if<Launch>(&step);
    if (launch != nullptr) launch->parts[0].code = std::make_shared<Failing>();
  }
  Executable failing(plan, *context);
  const std::vector<BufferPtr> inputs = {buffer_of(*context, {1, 2, 3, 4})};
  for (int run = 0; run < 3; ++run) {
    try {
      failing.run(inputs);
      ADD_FAILURE();
    } catch (const EnvironmentError& error) {
      EXPECT_THAT(error.what(), HasSubstr("the library has no memory"));
    }
    EXPECT_EQ(inputs[0].use_count(), 1);
  }
}

TEST(Executable, WhatAStepOfALongPlanThrowsIsThrownToo) {
  const auto context = lone_rank();
  Plan plan = executable_of(long_program(), *context)->plan();
  std::get<Launch>(plan.steps.at(1100)).parts[0].code = std::make_shared<Failing>();
  Executable failing(plan, *context);
  const std::vector<BufferPtr> inputs = {buffer_of(*context, {1, 2, 3, 4}),
                                         buffer_of(*context, {1, 1, 0, 1})};
  for (int run = 0; run < 3; ++run) EXPECT_THROW(failing.run(inputs), EnvironmentError);
}

TEST(Executable, CollectivesRunFromNativeCode) {
  const auto fabric = std::make_shared<runtime::LocalFabric>(2);
  std::vector<std::thread> ranks;
  for (int rank = 0; rank < 2; ++rank) {
    ranks.emplace_back([&, rank] {
      runtime::Context context(std::make_unique<runtime::HostBackend>(fabric, rank), 1);
      const auto step = executable_of(R"(
group @all = {ranks = [0, 1], stride = 2}
func @step(%x: f32[2]) -> (f32[2], async f32[2]) {
  %0 = mul(%x, %x) : f32[2]
  %1 = all_reduce(%0) {op = "sum", group = @all} : async f32[2]
  %2 = exp(%x) : f32[2]
  %3 = all_reduce(%2) {op = "max", group = @all} : async f32[2]
  %4 = wait(%1) : f32[2]
  return %4, %3
})",
                                      context);
      for (int run = 0; run < 4; ++run) {
        const float x = static_cast<float>(rank + run);
        const auto results = step->run(std::vector{buffer_of(context, {x, 0})});
        const auto low = static_cast<float>(run);
        EXPECT_THAT(values_of(results[0]), ElementsAre(low * low + (low + 1) * (low + 1), 0));
        EXPECT_FLOAT_EQ(values_of(results[1])[0], std::exp(low + 1));
      }
      context.backend->finish();
    });
  }
  for (std::thread& rank : ranks) rank.join();
}

// Of two ranks whose plans differ in places alone, each way once on each rank: nobody reads a byte.
TEST(Executable, RanksWithOtherPlacesAreToldBothLines) {
  constexpr const char* kTwoCalls = R"(
group @all = {ranks = [0, 1], stride = 2}
func @step(%x: f32[2]) -> (f32[2]) {
  %0 = mul(%x, %x) : f32[2]
  %1 = all_reduce(%0) {op = "sum", group = @all} : async f32[2]  // step.cpp:7
  %2 = add(%x, %x) : f32[2]
  %3 = all_reduce(%2) {op = "sum", group = @all} : async f32[2]  // step.cpp:9
  %4 = wait(%1) : f32[2]
  %5 = wait(%3) : f32[2]
  %6 = add(%4, %5) : f32[2]
  return %6
})";
  using Change = void (*)(Plan&);
  static constexpr auto of = [](Plan& plan, std::size_t number) -> PlanBuffer& {
    std::vector<PlanBuffer*> found;
    for (PlanBuffer& each : plan.buffers) {
      if (each.kind == PlanBuffer::Kind::symmetric) found.push_back(&each);
    }
    return *found.at(number);
  };
  using Place = std::vector<Step>::iterator;
  static constexpr auto acquire = [](Plan& plan, int number) -> Place {
    return std::ranges::find_if(plan.steps, [&](const Step& step) {
      return std::holds_alternative<Acquire>(step) && number-- == 0;
    });
  };
  // Behind so many more of the steps.
  static constexpr auto delay = [](Place step, int by) {
    std::rotate(step, step + 1, step + by + 1);
  };
  const std::vector<Change> changes = {
      [](Plan& plan) { of(plan, 1).offset = 0; },  // both at one place
      [](Plan& plan) { of(plan, 0).offset = 64; },
      [](Plan& plan) { std::swap(of(plan, 0).offset, of(plan, 1).offset); },
      [](Plan& plan) { of(plan, 0).offset = 8; },
      [](Plan& plan) {
        plan.areas[0].bytes = 256;
        of(plan, 1).offset = 192;
      },
      [](Plan& plan) {
        plan.areas[0].bytes = 256;
        of(plan, 0).offset = 128;
      },
      [](Plan& plan) {
        plan.areas[0].bytes = 256;
        of(plan, 0).offset = of(plan, 1).offset = 128;
      },
      [](Plan& plan) { of(plan, 1).offset += 4; },
      // One or both acquired when they are written already, or announced.
      [](Plan& plan) { delay(acquire(plan, 0), 2); },
      [](Plan& plan) { delay(acquire(plan, 1), 1); },
      [](Plan& plan) { delay(acquire(plan, 1), 2); },
      [](Plan& plan) {
        delay(acquire(plan, 1), 1);
        delay(acquire(plan, 0), 1);
      },
  };
  ASSERT_GE(changes.size() * 2, 20);
  for (std::size_t change = 0; change < changes.size(); ++change) {
    for (const int other : {0, 1}) {
      SCOPED_TRACE("change " + std::to_string(change) + " on rank " + std::to_string(other));
      const auto fabric = std::make_shared<runtime::LocalFabric>(2);
      std::array<std::string, 2> said;
      std::vector<std::thread> ranks;
      for (int rank = 0; rank < 2; ++rank) {
        ranks.emplace_back([&, rank] {
          runtime::Context context(std::make_unique<runtime::HostBackend>(fabric, rank), 1);
          Plan plan = executable_of(kTwoCalls, context)->plan();
          if (rank == other) changes[change](plan);
          add_placements(plan);
          Executable step(std::move(plan), context);
          try {
            step.run(std::vector{buffer_of(context, {1, 2})});
          } catch (const CommError& error) {
            said[static_cast<std::size_t>(rank)] = error.what();
          }
        });
      }
      for (std::thread& rank : ranks) rank.join();
      for (const std::string& text : said) {
        EXPECT_THAT(text, HasSubstr("collective #1 of group \"all\" does not match: rank 0 calls"));
        EXPECT_THAT(text,
                    testing::ContainsRegex("rank 0 calls.*step.cpp:7.*rank 1 calls.*step.cpp:7"));
        EXPECT_THAT(text,
                    HasSubstr("use this group's memory in the same order, but at other places"));
      }
    }
  }
}

// The first all_reduce is of a group of one, and goes; the second call keeps its name.
TEST(Executable, WhatIsSaidOfACallGoesToTheStepThatStandsForIt) {
  const auto fabric = std::make_shared<runtime::LocalFabric>(2);
  std::array<std::string, 2> said;
  std::vector<std::thread> ranks;
  for (int rank = 0; rank < 2; ++rank) {
    ranks.emplace_back([&, rank] {
      runtime::Context context(std::make_unique<runtime::HostBackend>(fabric, rank), 1);
      const auto step = executable_of(R"(
group @own = {ranks = [0, 1], stride = 1}
group @all = {ranks = [0, 1], stride = 2}
func @step(%x: f32[2]) -> (f32[2]) {
  %0 = all_reduce(%x) {op = "sum", group = @own} : async f32[2]
  %1 = wait(%0) : f32[2]
  %2 = all_reduce(%1) {op = "sum", group = @all} : async f32[2]
  %3 = wait(%2) : f32[2]
  return %3
})",
                                      context);
      const std::vector<Location> lines = {{"own.cpp", 1}, {"all.cpp", 2}};
      const std::vector<std::uint32_t> sites = {7, rank == 0 ? 8U : 9U};
      try {
        step->run(std::vector{buffer_of(context, {1, 2})}, {.lines = lines, .sites = sites});
      } catch (const CommError& error) {
        said[static_cast<std::size_t>(rank)] = error.what();
      }
      context.backend->finish();
    });
  }
  for (std::thread& rank : ranks) rank.join();
  for (const std::string& text : said) {
    EXPECT_THAT(text, testing::HasSubstr("(all.cpp:2), rank 1"));
    EXPECT_THAT(text, testing::HasSubstr("two places of the program"));
  }
}

}  // namespace
}  // namespace tutti::codegen::executable_test
