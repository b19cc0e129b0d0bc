// Loops and branches on a GPU of ordinary memory whose stream works as late as it may: what they
// give on the host.

#include <tutti/codegen/driver/executable.h>
#include <tutti/codegen/driver/make_plan.h>
#include <tutti/codegen/plan/check_plan.h>
#include <tutti/codegen/plan/parse_plan.h>
#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/local.h>

#include <string>
#include <thread>

#include "tests/codegen/device_rank.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::codegen::device_control_test {
namespace {

using test::DeviceRank;
using test::HostAccelerator;
using test::plan_of_device;
using testing::HasSubstr;
using testing::Not;

// The program for the host: the text without its devices.
std::string on_host(std::string text) {
  const std::string where = " on cuda:0";
  for (std::size_t at = text.find(where); at != text.npos; at = text.find(where)) {
    text.erase(at, where.size());
  }
  return text;
}

// Runs the program on both, several times, from these arguments.
void expect_as_on_host(const std::string& text, const std::vector<std::vector<float>>& arguments) {
  DeviceRank rank;
  Executable host(plan_of_device(on_host(text)), rank.context, PlanMode::walk);
  Executable device(plan_of_device(text), rank.context);
  ASSERT_FALSE(device.plan().devices.empty());
  std::vector<std::shared_ptr<runtime::Buffer>> host_inputs;
  std::vector<std::shared_ptr<runtime::Buffer>> inputs;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    host_inputs.push_back(rank.put({}, arguments[i]));
    inputs.push_back(rank.put(device.plan().inputs[i].device, arguments[i]));
  }
  const auto expected = host.run(host_inputs);
  for (int run = 0; run < 3; ++run) {
    const auto results = device.run(inputs);
    ASSERT_EQ(results.size(), expected.size());
    for (std::size_t i = 0; i < results.size(); ++i) {
      EXPECT_EQ(results[i].type.device, Device::cuda()) << i;
      EXPECT_EQ(rank.get(results[i]), rank.get(expected[i])) << "run " << run << ", result " << i;
    }
  }
}

// A carry by turns, one in place, one that stays, pieces of any alignment.
constexpr const char* kScan = R"(
private func @cell(%h: f32[3] on cuda:0, %n: f32[3] on cuda:0, %x: f32[3] on cuda:0,
                   %w: f32[3] on cuda:0) {
  %0 = maximum(%h, %x)
  %1 = reverse(%h) {axes = [0]}
  %2 = add(%0, %1)
  %3 = mul(%n, %w)
  %4 = sub(%x, %w)
  %5 = constant() {value = f32[] 7}
  %6 = broadcast_to(%5) {shape = [3]}
  return %2, %3, %4, %h, %6
}
func @f(%h: f32[3] on cuda:0, %n: f32[3] on cuda:0, %xs: f32[5,3] on cuda:0, %w: f32[3] on cuda:0) {
  %0, %1, %2, %3, %8 = scan(%h, %n, %xs, %w)
      {body = @cell, carries = 2, sequences = 1, length = 5}
  %4, %5, %6, %7, %9 = scan(%0, %1, %2, %w)
      {body = @cell, carries = 2, sequences = 1, length = 5, reverse = true}
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9
}
)";

const std::vector<std::vector<float>> kScanArguments = {
    {1, 2, 3}, {1, 1, 2}, {5, 1, 2, 8, 3, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9}, {2, 3, 0.5F}};

TEST(DeviceControl, AScanGivesWhatItDoesOnTheHost) { expect_as_on_host(kScan, kScanArguments); }

TEST(DeviceControl, ItsPlanCanBeReadAndChecked) {
  const Plan plan = plan_of_device(kScan);
  EXPECT_NO_THROW(check(plan));
  const std::string text = print(plan);
  EXPECT_THAT(text, HasSubstr(" via b"));
  EXPECT_EQ(print(parse_plan(text)), text);
  EXPECT_TRUE(structurally_equal(parse_plan(text), plan));
}

TEST(DeviceControl, AStepIsRecordedOnceForEachPlaceOfItsCarries) {
  DeviceRank rank;
  Executable scan(plan_of_device(R"(
private func @cell(%h: f32[64] on cuda:0, %x: f32[64] on cuda:0) {
  %0 = reverse(%h) {axes = [0]}
  %1 = add(%0, %x)
  %2 = sum(%1) {axes = [0], keepdims = true}
  %3 = sub(%1, %2)
  return %3, %2
}
func @f(%h: f32[64] on cuda:0, %xs: f32[20,64] on cuda:0) {
  %0, %1 = scan(%h, %xs) {body = @cell, carries = 1, sequences = 1, length = 20}
  return %0, %1
}
)"),
                  rank.context);
  const std::vector<std::shared_ptr<runtime::Buffer>> inputs = {
      rank.put(Device::cuda(), std::vector<float>(64, 1)),
      rank.put(Device::cuda(), std::vector<float>(20 * 64, 1))};
  const HostAccelerator::Counts& counts = rank.gpus[0]->counts;
  const int copies = counts.copies_out;
  for (int run = 0; run < 3; ++run) scan.run(inputs);
  // Results are new memory in each run, but the loop's places are the run's own where steps write.
  EXPECT_LE(counts.recordings, 4);
  EXPECT_GE(counts.replays, 3 * 20 - 1);
  EXPECT_EQ(counts.copies_out, copies) << "the host waits for nothing";
}

TEST(DeviceControl, LargePiecesAreNotCopied) {
  const auto plan = [](const std::string& size) {
    return print(plan_of_device(R"(
private func @cell(%h: f32[8] on cuda:0, %x: f32[)" +
                                size + R"(] on cuda:0) {
  %0 = sum(%x) {axes = [0]}
  %1 = add(%h, %0)
  return %1
}
func @f(%h: f32[8] on cuda:0, %xs: f32[4,)" +
                                size + R"(] on cuda:0) {
  %0 = scan(%h, %xs) {body = @cell, carries = 1, sequences = 1, length = 4}
  return %0
}
)"));
  };
  EXPECT_THAT(plan("262144"), HasSubstr(" via b"));
  EXPECT_THAT(plan("262208"), Not(HasSubstr(" via b")));
  // Kernels take it for granted that what they read is aligned.
  EXPECT_THAT(plan("262209"), HasSubstr(" via b"));
}

TEST(DeviceControl, AWhileLoopIsDecidedByWhatItComputesThere) {
  expect_as_on_host(R"(
private func @more(%x: f32[2] on cuda:0, %n: f32[] on cuda:0) {
  %0 = sum(%x) {axes = [0]}
  %1 = lt(%0, %n)
  return %1
}
private func @twice(%x: f32[2] on cuda:0, %n: f32[] on cuda:0) {
  %0 = reverse(%x) {axes = [0]}
  %1 = add(%x, %0)
  return %1
}
func @f(%x: f32[2] on cuda:0, %n: f32[] on cuda:0) {
  %0 = while_loop(%x, %n) {condition = @more, body = @twice, carries = 1}
  return %0
}
)",
                    {{1, 2}, {1000}});
}

TEST(DeviceControl, LoopsRunInsideOfLoops) {
  expect_as_on_host(R"(
private func @inner(%a: f32[2] on cuda:0, %b: f32[2] on cuda:0) {
  %0 = reverse(%a) {axes = [0]}
  %1 = add(%0, %b)
  %2 = neg(%0)
  return %1, %2
}
private func @outer(%a: f32[2] on cuda:0, %b: f32[2] on cuda:0) {
  %0, %1 = scan(%b, %a) {body = @inner, carries = 1, sequences = 0, length = 3}
  %2 = sum(%1) {axes = [0]}
  %3, %4 = scan(%0, %2) {body = @inner, carries = 1, sequences = 0, length = 2}
  %5 = sub(%3, %a)
  return %5, %4
}
func @f(%a: f32[2] on cuda:0, %b: f32[2] on cuda:0) {
  %0, %1 = scan(%a, %b) {body = @outer, carries = 1, sequences = 0, length = 4}
  return %0, %1
}
)",
                    {{1, 2}, {3, 5}});
}

constexpr const char* kBranches = R"(
private func @first(%x: f32[2] on cuda:0) {
  %0 = add(%x, %x)
  return %0
}
private func @second(%x: f32[2] on cuda:0) {
  %0 = reverse(%x) {axes = [0]}
  %1 = neg(%0)
  return %1
}
private func @third(%x: f32[2] on cuda:0) {
  %0 = constant() {value = f32[2] [5, 6]}
  return %0
}
)";

TEST(DeviceControl, ABranchIsChosenByANumberOnTheDevice) {
  for (const float index : {0.0F, 1.0F, 2.0F, 9.0F}) {
    expect_as_on_host(std::string(kBranches) + R"(
func @f(%x: f32[2] on cuda:0, %i: f32[] on cuda:0) {
  %0 = cast(%i) {dtype = i32}
  %1 = conditional(%0, %x) {branches = [@first, @second, @third]}
  return %1
}
)",
                      {{1, 2}, {index}});
  }
}

// It is copied nowhere.
TEST(DeviceControl, ANumberOfTheHostChoosesABranchOnTheDevice) {
  DeviceRank rank;
  Executable choose(plan_of_device(std::string(kBranches) + R"(
func @f(%x: f32[2] on cuda:0, %i: i32[]) {
  %0 = conditional(%i, %x) {branches = [@first, @second, @third]}
  return %0
}
)"),
                    rank.context);
  const HostAccelerator::Counts& counts = rank.gpus[0]->counts;
  std::vector<std::shared_ptr<runtime::Buffer>> inputs = {rank.put(Device::cuda(), {1, 2}),
                                                          rank.context.allocator.allocate(4)};
  const std::vector<std::vector<float>> expected = {{2, 4}, {-2, -1}, {5, 6}};
  for (std::int32_t index = 0; index < 3; ++index) {
    std::memcpy(inputs[1]->data(), &index, sizeof index);
    const int copies = counts.copies_out + counts.copies_in;
    const auto results = choose.run(inputs);
    EXPECT_LE(counts.copies_out + counts.copies_in, copies + 1) << "but for the constant";
    EXPECT_EQ(rank.get(results[0]), expected[static_cast<std::size_t>(index)]);
  }
}

TEST(DeviceControl, WhatABranchWithoutArgumentsGivesIsCopied) {
  DeviceRank rank;
  Executable choose(plan_of_device(R"(
private func @one() {
  %0 = constant() {value = f32[2] [1, 2]}
  return %0
}
private func @two() {
  %0 = constant() {value = f32[2] [3, 4]}
  return %0
}
func @f(%x: f32[2] on cuda:0, %i: i32[]) {
  %0 = conditional(%i) {branches = [@one, @two]}
  %1 = add(%0, %x)
  return %1
}
)"),
                    rank.context);
  std::vector<std::shared_ptr<runtime::Buffer>> inputs = {rank.put(Device::cuda(), {10, 20}),
                                                          rank.context.allocator.allocate(4)};
  for (std::int32_t index = 0; index < 2; ++index) {
    std::memcpy(inputs[1]->data(), &index, sizeof index);
    const std::vector<float> expected =
        index == 0 ? std::vector<float>{11, 22} : std::vector<float>{13, 24};
    EXPECT_EQ(rank.get(choose.run(inputs)[0]), expected);
  }
}

// What a program of one argument gives on two ranks that meet: [rank][result].
std::vector<std::vector<std::vector<float>>> on_two_ranks(
    const std::string& text, const std::vector<std::vector<float>>& arguments) {
  const auto fabric = std::make_shared<runtime::LocalFabric>(2);
  std::vector<std::vector<std::vector<float>>> out(2);
  std::vector<std::thread> ranks;
  for (std::size_t rank = 0; rank < 2; ++rank) {
    ranks.emplace_back([&, rank] {
      const auto number = static_cast<std::int64_t>(rank);
      DeviceRank own(fabric, number);
      Executable program(plan_of_device(text, number), own.context);
      const std::vector<std::shared_ptr<runtime::Buffer>> inputs = {
          own.put(Device::cuda(), arguments[rank])};
      for (int run = 0; run < 2; ++run) {
        out[rank].clear();
        for (const auto& result : program.run(inputs)) out[rank].push_back(own.get(result));
      }
    });
  }
  for (std::thread& rank : ranks) rank.join();
  return out;
}

TEST(DeviceControl, LoopsCommunicateThroughTheHost) {
  const std::string text = R"(
mesh (world = 2)
group @world = {ranks = [0, 1], stride = 2}
private func @step(%x: f32[2] on cuda:0) {
  %0 = all_reduce(%x) {op = "sum", group = @world}
  %1 = wait(%0)
  %2 = vary(%1) {dimensions = "world"}
  %3 = reverse(%2) {axes = [0]}
  %4 = neg(%3)
  return %4
}
func @f(%x: f32[2] on cuda:0) {
  %0 = scan(%x) {body = @step, carries = 1, sequences = 0, length = 3}
  return %0
}
)";
  const auto got = on_two_ranks(text, {{1, 2}, {11, 2}});
  // (12, 4), turned thrice, doubled twice.
  for (const auto& results : got) EXPECT_EQ(results[0], (std::vector<float>{-16, -48}));
}

// The loop works in the memory of what the first collective sent.
TEST(DeviceControl, WhatALoopOverwrotePeersGetAnew) {
  const std::string text = R"(
mesh (world = 2)
group @world = {ranks = [0, 1], stride = 2}
private func @step(%x: f32[2] on cuda:0) {
  %0 = constant() {value = f32[] 1}
  %1 = add(%x, %0)
  return %1
}
func @f(%x: f32[2] on cuda:0) {
  %0 = neg(%x)
  %1 = all_reduce(%0) {op = "sum", group = @world}
  %2 = wait(%1)
  %3 = scan(%0) {body = @step, carries = 1, sequences = 0, length = 3}
  %4 = all_reduce(%3) {op = "sum", group = @world}
  %5 = wait(%4)
  return %2, %5
}
)";
  for (const auto& results : on_two_ranks(text, {{1, 2}, {1, 2}})) {
    EXPECT_EQ(results[0], (std::vector<float>{-2, -4}));
    EXPECT_EQ(results[1], (std::vector<float>{4, 2}));
  }
}

TEST(DeviceControl, LoopsOfOneProgramRunOnSeveralDevices) {
  DeviceRank rank;
  Executable both(plan_of_device(R"(
private func @here(%x: f32[4] on cuda:0) {
  %0 = reverse(%x) {axes = [0]}
  %1 = add(%x, %0)
  %2 = sum(%1) {axes = [0], keepdims = true}
  %3 = sub(%2, %1)
  return %3
}
private func @there(%x: f32[4] on cuda:1) {
  %0 = to_device(%x) {device = "cuda:0"}
  %1 = scan(%0) {body = @here, carries = 1, sequences = 0, length = 1}
  %2 = to_device(%1) {device = "cuda:1"}
  %3 = add(%2, %x)
  return %3
}
func @f(%x: f32[4] on cuda:0, %y: f32[4] on cuda:1) {
  %0 = scan(%x) {body = @here, carries = 1, sequences = 0, length = 2}
  %1 = scan(%y) {body = @there, carries = 1, sequences = 0, length = 2}
  return %0, %1
}
)"),
                  rank.context);
  ASSERT_EQ(both.plan().devices.size(), 2U);
  const std::vector<std::shared_ptr<runtime::Buffer>> inputs = {
      rank.put(Device::cuda(0), {1, 2, 3, 4}), rank.put(Device::cuda(1), {1, 0, 0, 0})};
  const auto here = [](std::vector<float> x) {
    std::vector<float> out(4);
    float sum = 0;
    for (std::size_t i = 0; i < 4; ++i) sum += out[i] = x[i] + x[3 - i];
    for (float& each : out) each = sum - each;
    return out;
  };
  const auto there = [&](const std::vector<float>& x) {
    std::vector<float> out = here(x);
    for (std::size_t i = 0; i < 4; ++i) out[i] += x[i];
    return out;
  };
  for (int run = 0; run < 3; ++run) {
    const auto results = both.run(inputs);
    EXPECT_EQ(rank.get(results[0]), here(here({1, 2, 3, 4})));
    EXPECT_EQ(rank.get(results[1]), there(there({1, 0, 0, 0})));
  }
}

TEST(DeviceControl, ALoopWithoutStepsGivesWhatItIsGiven) {
  std::string text = kScan;
  for (std::size_t at = text.find("length = 5"); at != text.npos; at = text.find("length = 5")) {
    text.replace(at, 10, "length = 0");
  }
  text.replace(text.find("f32[5,3]"), 8, "f32[0,3]");
  expect_as_on_host(text, {{1, 2, 3}, {1, 1, 2}, {}, {2, 3, 0.5F}});
}

TEST(DeviceControl, PlansWhosePartsAreNotAlignedAreRefused) {
  Plan plan = plan_of_device(kScan);
  for (Step& step : plan.steps) {
    if (Control* const control = control_of(step)) control->staged.clear();
  }
  EXPECT_THROW(check(plan), InternalError);
}

TEST(DeviceControl, PlansWithBuffersOnAnotherDeviceThanTheirRegionsAreRefused) {
  const std::string text = print(plan_of_device(kScan));
  const auto refused = [&](const std::string& buffer) {
    std::string changed = text;
    const std::size_t line = changed.find("\n  " + buffer + " = ");
    const std::string where = " bytes on cuda:0";
    changed.replace(changed.find(where, line), where.size(), " bytes");
    const Plan plan = parse_plan(changed);
    EXPECT_THROW(check(plan), InternalError) << changed;
  };
  const Plan plan = parse_plan(text);
  const Control* control = nullptr;
  for (const Step& step : plan.steps) control = control == nullptr ? control_of(step) : control;
  ASSERT_NE(control, nullptr);
  const auto name = [](BufferId id) { return "b" + std::to_string(id); };
  for (const BufferId id : control->staged) refused(name(id));
  for (const BufferId id : control->spares) {
    if (id >= 0) refused(name(id));
  }
  for (const BufferId id : control->operands) refused(name(id));
  for (const BufferId id : control->results) refused(name(id));
}

}  // namespace
}  // namespace tutti::codegen::device_control_test
