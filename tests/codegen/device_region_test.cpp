// Plans with steps on a GPU, run on one of ordinary memory whose stream works as late as it may.

#include <tutti/codegen/driver/executable.h>
#include <tutti/codegen/plan/check_plan.h>
#include <tutti/codegen/plan/device_region.h>
#include <tutti/codegen/plan/parse_plan.h>
#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/local.h>
#include <tutti/runtime/profile/profile.h>

#include <algorithm>
#include <optional>
#include <thread>

#include "tests/codegen/device_rank.h"
#include "tests/codegen/plan_complaint.h"
#include "tests/support/environment_variable.h"
#include "tests/support/fake_cuda_process.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::codegen::device_region_test {
namespace {

using runtime::Buffer;
using test::HostAccelerator;
using testing::ElementsAre;
using testing::HasSubstr;
using BufferPtr = std::shared_ptr<Buffer>;

constexpr const char* kStep = R"(
func @step(%x: f32[2,2] on cuda:0) -> (f32[2,2] on cuda:0) {
  %0 = sum(%x) {axes = [0], keepdims = true}
  %1 = sum(%x) {axes = [1], keepdims = true}
  %2 = add(%0, %1)
  return %2
})";

TEST(DeviceRegion, IsLaunchedThenRecordedThenReplayed) {
  test::DeviceRank rank;
  Executable step(test::plan_of_device(kStep), rank.context);
  ASSERT_GE(step.plan().kernels.size(), 2U);
  const auto launches = static_cast<int>(step.plan().kernels.size());
  const HostAccelerator::Counts& counts = rank.gpus[0]->counts;
  const std::vector<BufferPtr> inputs = {rank.put(Device::cuda(), {1, 2, 3, 4})};
  for (int run = 0; run < 4; ++run) {
    const auto results = step.run(inputs);
    EXPECT_THAT(rank.get(results[0]), ElementsAre(7, 9, 11, 13));
    EXPECT_EQ(counts.launches, launches);
    EXPECT_EQ(counts.recordings, run == 0 ? 0 : 1);
    EXPECT_EQ(counts.replays, run);
  }
  EXPECT_FALSE(step.is_native());
}

TEST(DeviceRegion, RecordsEverySetOfAddresses) {
  test::DeviceRank rank;
  Executable step(test::plan_of_device(kStep), rank.context);
  const HostAccelerator::Counts& counts = rank.gpus[0]->counts;
  const BufferPtr a = rank.put(Device::cuda(), {1, 2, 3, 4});
  const BufferPtr b = rank.put(Device::cuda(), {10, 20, 30, 40});
  for (int run = 0; run < 6; ++run) {
    const std::vector<BufferPtr> inputs = {run % 2 == 0 ? a : b};
    const auto results = step.run(inputs);
    EXPECT_EQ(rank.get(results[0])[0], run % 2 == 0 ? 7 : 70);
  }
  EXPECT_EQ(counts.recordings, 2);
  EXPECT_EQ(counts.replays, 5);
}

TEST(DeviceRegion, IsTimedWithoutAWaitWhereItIsProfiled) {
  test::DeviceRank rank;
  rank.context.profile = std::make_shared<runtime::Profile>(0, 1, runtime::Roofline{});
  Executable step(test::plan_of_device(kStep), rank.context);
  const std::vector<BufferPtr> inputs = {rank.put(Device::cuda(), {1, 2, 3, 4})};
  const auto first = step.run(inputs);
  const auto second = step.run(inputs);
  ASSERT_EQ(rank.context.profile->devices().size(), 1U);
  const runtime::ProfileTrack& events = rank.context.profile->devices()[0].kernels.events();
  EXPECT_EQ(events.size(), 0U) << "nobody has waited for the GPU";
  EXPECT_THAT(rank.get(second[0]), ElementsAre(7, 9, 11, 13));
  rank.context.profile->look_at_devices();
  ASSERT_EQ(events.size(), 2 * step.plan().kernels.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events[i].end - events[i].begin, HostAccelerator::kLaunchTime);
    if (i > 0) {
      EXPECT_GE(events[i].begin, events[i - 1].end);
    }
  }
}

// Whether the results are right, and so many runs were recorded.
bool runs_elsewhere_each_time() {
  test::DeviceRank rank;
  Executable step(test::plan_of_device(kStep), rank.context);
  const HostAccelerator::Counts& counts = rank.gpus[0]->counts;
  std::vector<BufferPtr> all;
  bool right = true;
  for (int run = 0; run < DeviceRegion::kMostMisses + 10; ++run) {
    all.push_back(rank.put(Device::cuda(), {1, 2, 3, 4}));
    const std::vector<BufferPtr> inputs = {all.back()};
    const auto results = step.run(inputs);
    all.push_back(results[0].buffer);
    right = right && rank.get(results[0])[0] == 7;
  }
  return right && counts.recordings == DeviceRegion::kMostMisses;
}

// In a process of its own, which logs.
TEST(DeviceRegion, StopsRecordingWhereNoAddressComesAgainAndSaysSo) {
  const test::EnvironmentVariable log("TUTTI_LOG", "gpu");
  test::expect_with_fake_cuda(
      "", [] { return runs_elsewhere_each_time(); },
      "tutti gpu: [0-9]+ launches on cuda:0 are not recorded any more, but "
      "put on the stream one by one: its arguments lay elsewhere in each of "
      "12 runs");
}

// Reductions along one axis and the other by turns, of which the first alone reads %x.
std::string chain(int layers) {
  std::string out =
      "func @step(%x: f32[4,4] on cuda:0, %w: f32[4,4] on cuda:0) -> (f32[4,1] on cuda:0) {\n"
      "  %0 = sum(%x) {axes = [0], keepdims = true}\n";
  int last = 0;
  for (int layer = 0; layer < layers; ++layer) {
    const auto value = [&](int behind) { return "%" + std::to_string(last + behind); };
    out += "  " + value(1) + " = add(%w, " + value(0) + ")\n  " + value(2) + " = sum(" + value(1) +
           ") {axes = [" + (layer % 2 == 0 ? "1" : "0") + "], keepdims = true}\n";
    last += 2;
  }
  return out + "  return %" + std::to_string(last) + "\n}";
}

TEST(DeviceRegion, ExchangesTheFewLaunchesWhoseAddressesAreNew) {
  test::DeviceRank rank;
  Executable step(test::plan_of_device(chain(25)), rank.context);
  const HostAccelerator::Counts& counts = rank.gpus[0]->counts;
  const std::vector<float> numbers = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  const BufferPtr w = rank.put(Device::cuda(), numbers);
  std::vector<BufferPtr> all;  // so that no address comes again
  const auto run = [&] {
    all.push_back(rank.put(Device::cuda(), numbers));
    const std::vector<BufferPtr> inputs = {all.back(), w};
    const auto results = step.run(inputs);
    all.push_back(results[0].buffer);
    return rank.get(results[0]);
  };
  const std::vector<float> expected = run();
  const int launches = counts.launches;
  constexpr auto kCost = static_cast<int>(DeviceRegion::kExchangeCost);
  ASSERT_GE(launches, 2 * kCost);  // that of %x and that of the result
  constexpr int kExchanging = 8;
  for (int i = 0; i < DeviceRegion::kMostMisses + 1 + kExchanging; ++i) {
    EXPECT_EQ(run(), expected) << i;
  }
  EXPECT_EQ(counts.launches, launches) << "all runs but the first are replays";
  EXPECT_LE(counts.recordings,
            DeviceRegion::kMostMisses + launches + kExchanging * launches / kCost);
  rank.gpus[0]->refuses_to_record = true;
  EXPECT_EQ(run(), expected);
  EXPECT_EQ(counts.launches, 2 * launches);
}

TEST(DeviceRegion, LaunchesWhatCanNotBeRecorded) {
  test::DeviceRank rank;
  rank.gpus[0]->refuses_to_record = true;
  Executable step(test::plan_of_device(kStep), rank.context);
  const HostAccelerator::Counts& counts = rank.gpus[0]->counts;
  const auto launches = static_cast<int>(step.plan().kernels.size());
  const std::vector<BufferPtr> inputs = {rank.put(Device::cuda(), {1, 2, 3, 4})};
  for (int run = 1; run < 5; ++run) {
    EXPECT_THAT(rank.get(step.run(inputs)[0]), ElementsAre(7, 9, 11, 13));
    EXPECT_EQ(counts.launches, run * launches);
  }
  EXPECT_EQ(counts.recordings, 1) << "tried once";
}

TEST(DeviceRegion, RecordsOnceThereIsRoom) {
  test::DeviceRank rank;
  rank.gpus[0]->has_no_room_to_record = true;
  Executable step(test::plan_of_device(kStep), rank.context);
  const HostAccelerator::Counts& counts = rank.gpus[0]->counts;
  const std::vector<BufferPtr> inputs = {rank.put(Device::cuda(), {1, 2, 3, 4})};
  for (int run = 0; run < DeviceRegion::kMostMisses + 5; ++run) {
    EXPECT_THAT(rank.get(step.run(inputs)[0]), ElementsAre(7, 9, 11, 13));
  }
  EXPECT_EQ(counts.replays, 0);
  rank.gpus[0]->has_no_room_to_record = false;
  for (int run = 0; run < 3; ++run) step.run(inputs);
  EXPECT_EQ(counts.replays, 3);
}

TEST(DeviceRegion, CanBeToldNotToRecord) {
  test::DeviceRank rank;
  Executable step(test::plan_of_device(kStep), rank.context,
                  Executable::Options{.on_devices = {.record = false}});
  const std::vector<BufferPtr> inputs = {rank.put(Device::cuda(), {1, 2, 3, 4})};
  for (int run = 0; run < 3; ++run) step.run(inputs);
  EXPECT_EQ(rank.gpus[0]->counts.recordings, 0);
}

TEST(DeviceRegion, WaitsForEachLaunchToNameTheOneThatFailed) {
  test::DeviceRank rank;
  Executable step(test::plan_of_device(kStep), rank.context,
                  Executable::Options{.on_devices = {.launch_blocking = true}});
  const std::vector<BufferPtr> inputs = {rank.put(Device::cuda(), {1, 2, 3, 4})};
  for (int run = 0; run < 3; ++run) {
    EXPECT_THAT(rank.get(step.run(inputs)[0]), ElementsAre(7, 9, 11, 13));
  }
  EXPECT_EQ(rank.gpus[0]->counts.recordings, 0);
  rank.gpus[0]->broken = "an illegal address";
  try {
    step.run(inputs);
    ADD_FAILURE() << "it is broken";
  } catch (const EnvironmentError& error) {
    EXPECT_THAT(error.what(), HasSubstr("sum on cuda:0: an illegal address"));
  }
  rank.gpus[0]->broken.clear();
}

// Says how much memory of its GPU is in use when it is launched.
struct MemoryMeter final : runtime::DeviceCode {
  void launch(runtime::Accelerator& accelerator, void* const*) const override {
    used = accelerator.memory().used_bytes();
  }
  mutable std::size_t used = 0;
};

TEST(DeviceRegion, KeepsWhatItFreesUntilItsWorkIsOnTheStream) {
  test::DeviceRank rank;
  Plan plan;
  plan.buffers.resize(1);
  LaunchPart part;
  const auto meter = std::make_shared<MemoryMeter>();
  part.device_code = meter;
  part.buffers = {0};
  DeviceRegion region(Device::cuda(0), {.record = false});
  region.add(Allocate{.buffer = 0});
  region.add(plan, part, 0);
  region.add(Free{.buffer = 0});
  runtime::PlanFrame frame(rank.context, 1, 0, 0);
  frame.allocations[0] = {.bytes = 4096, .device = Device::cuda(0)};
  frame.begin();
  region.run(rank.context, frame);
  EXPECT_GE(meter->used, 4096U);
  EXPECT_EQ(rank.context.accelerator(Device::cuda(0)).memory().used_bytes(), 0U);
}

TEST(DeviceRegion, ResultsTakeOverMemoryOfTheSameDeviceAlone) {
  const Plan plan = test::plan_of_device(R"(
func @both(%x: f32[4] on cuda:0, %y: f32[4]) -> (f32[4] on cuda:0, f32[4]) {
  %0 = add(%x, %x)
  %1 = add(%y, %y)
  return %0, %1
})");
  ASSERT_EQ(plan.donations.size(), 2U);
  for (const Donation& donation : plan.donations) {
    const Device device = plan.buffers[static_cast<std::size_t>(donation.buffer)].device;
    EXPECT_EQ(device.is_cpu(), donation.input == 1);
  }
  test::DeviceRank rank;
  Executable both(plan, rank.context);
  std::vector<BufferPtr> inputs = {rank.put(Device::cuda(), {1, 2, 3, 4}),
                                   rank.put({}, {5, 6, 7, 8})};
  const Buffer* const given = inputs[0].get();
  std::vector<Executable::Result> results;
  both.run(inputs, {.donate = true}, results);
  inputs.clear();
  EXPECT_EQ(results[0].buffer.get(), given);
  EXPECT_THAT(rank.get(results[0]), ElementsAre(2, 4, 6, 8));
  EXPECT_THAT(rank.get(results[1]), ElementsAre(10, 12, 14, 16));
}

TEST(DevicePlan, BringsValuesFromOneDeviceToAnother) {
  test::DeviceRank rank;
  Executable f(test::plan_of_device(R"(
func @f(%x: f32[4]) -> (f32[4]) {
  %0 = to_device(%x) {device = "cuda:1"}
  %1 = mul(%0, %0)
  %2 = to_device(%1) {device = "cuda:0"}
  %3 = add(%2, %2)
  %4 = to_device(%3) {device = "cpu"}
  %5 = add(%4, %x)
  return %5
})"),
               rank.context);
  const std::vector<BufferPtr> inputs = {rank.put({}, {1, 2, 3, 4})};
  for (int run = 0; run < 3; ++run) {
    EXPECT_THAT(rank.get(f.run(inputs)[0]), ElementsAre(3, 10, 21, 36));
  }
}

TEST(DevicePlan, BringsWhatALargerValueBeginsWith) {
  test::DeviceRank rank;
  Executable f(test::plan_of_device(R"(
func @f(%x: f32[4] on cuda:0, %y: f32[4]) -> (f32[2], f32[1] on cuda:0) {
  %0 = slice(%x) {start = [0], stop = [2], step = [1]}
  %1 = to_device(%0) {device = "cpu"}
  %2 = slice(%y) {start = [0], stop = [1], step = [1]}
  %3 = to_device(%2) {device = "cuda:0"}
  return %1, %3
})"),
               rank.context);
  const std::vector<BufferPtr> inputs = {rank.put(Device::cuda(), {1, 2, 3, 4}),
                                         rank.put({}, {5, 6, 7, 8})};
  const auto results = f.run(inputs);
  EXPECT_THAT(rank.get(results[0]), ElementsAre(1, 2));
  EXPECT_THAT(rank.get(results[1]), ElementsAre(5));
}

TEST(DevicePlan, ConstantsAreThereOnce) {
  test::DeviceRank rank;
  Executable f(test::plan_of_device(R"(
func @f(%x: f32[4] on cuda:0) -> (f32[4] on cuda:0) {
  %0 = constant() {value = f32[4] [1, 20, 300, 4000]}
  %1 = add(%x, %0)
  return %1
})"),
               rank.context);
  const int copies = rank.gpus[0]->counts.copies_in;
  const std::vector<BufferPtr> inputs = {rank.put(Device::cuda(), {1, 2, 3, 4})};
  for (int run = 0; run < 3; ++run) {
    EXPECT_THAT(rank.get(f.run(inputs)[0]), ElementsAre(2, 22, 303, 4004));
  }
  EXPECT_EQ(rank.gpus[0]->counts.copies_in, copies + 1) << "only the argument";
}

TEST(DevicePlan, CollectivesGoThroughTheHost) {
  const char* const text = R"(
group @pair = {ranks = [0, 1], stride = 2}
func @f(%x: f32[4] on cuda:0) -> (f32[4] on cuda:0) {
  %0 = add(%x, %x)
  %1 = all_reduce(%0) {op = "sum", group = @pair}
  %2 = wait(%1)
  %3 = mul(%2, %x)
  return %3
})";
  auto fabric = std::make_shared<runtime::LocalFabric>(2);
  std::vector<std::vector<float>> got(2);
  std::vector<std::thread> threads;
  for (int r = 0; r < 2; ++r) {
    threads.emplace_back([&, r] {
      test::DeviceRank rank(fabric, r);
      Executable f(test::plan_of_device(text, r), rank.context);
      const auto own = static_cast<float>(r + 1);
      const std::vector<BufferPtr> inputs = {rank.put(Device::cuda(), {own, 2, 3, 4})};
      for (int run = 0; run < 3; ++run)
        got[static_cast<std::size_t>(r)] = rank.get(f.run(inputs)[0]);
      rank.context.backend->finish();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(got[0], ElementsAre(6, 16, 36, 64));
  EXPECT_THAT(got[1], ElementsAre(12, 16, 36, 64));
}

// Of a sum over two GPUs, and what comes before and after it, of vectors of so many elements.
Plan plan_over_nccl(const std::string& elements) {
  const std::string type = "f32[" + elements + "] on cuda:0";
  return test::plan_of_device(R"(
group @pair = {ranks = [0, 1], stride = 2, backends = "cpu:shm,cuda:nccl"}
func @f(%x: )" + type + ") -> (" +
                              type + R"() {
  %0 = add(%x, %x)
  %1 = all_reduce(%0) {op = "sum", group = @pair}
  %2 = wait(%1)
  %3 = mul(%2, %x)
  return %3
})");
}

// Operands and results stay on the GPU, and the plan's rules say so.
TEST(DevicePlan, CollectivesOverNcclStayOnTheGpu) {
  const Plan plan = plan_over_nccl("4");
  const auto start_in = [](Plan& of) -> CollectiveStart& {
    for (Step& step : of.steps) {
      if (auto* const start = std::get_if<CollectiveStart>(&step)) return *start;
    }
    throw std::runtime_error("no collective");
  };
  Plan changed = plan;
  EXPECT_EQ(start_in(changed).engine, "nccl");
  // At places that are the same on all members.
  EXPECT_THAT(print(plan), HasSubstr("512 bytes in @pair on cuda:0"));
  EXPECT_THAT(print(plan), HasSubstr("symmetric at 0 in @pair, 16 bytes on cuda:0"));
  EXPECT_THAT(print(plan), HasSubstr("symmetric at 256 in @pair, 16 bytes on cuda:0"));
  for (const Step& step : plan.steps) EXPECT_FALSE(std::holds_alternative<Copy>(step));
  EXPECT_NO_THROW(check(plan));
  EXPECT_EQ(print(parse_plan(print(plan))), print(plan));
  start_in(changed).call.reduction = runtime::Reduction::mean;
  EXPECT_THAT(test::complaint(changed), HasSubstr("is no call that nccl has"));
  changed = plan;
  start_in(changed).engine = "shm";
  EXPECT_THAT(test::complaint(changed), HasSubstr("w0 is none that a kernel can lead"));
  changed = plan;
  for (const BufferId id : start_in(changed).operands) changed.buffers[at(id)].device = {};
  EXPECT_NE(test::complaint(changed), "");
  changed = plan;
  for (const BufferId id : start_in(changed).results) {
    changed.buffers[at(id)].kind = PlanBuffer::Kind::comm;
    changed.buffers[at(id)].device = Device::cuda(1);
  }
  EXPECT_THAT(test::complaint(changed), HasSubstr("lies apart"));
  changed = plan;
  changed.areas[0].device = Device::cuda(1);
  EXPECT_THAT(test::complaint(changed),
              HasSubstr("lies in a group's memory, which another device"));
}

// NCCL wants to find all that a message has in the group's memory, or nothing of it.
TEST(DevicePlan, ResultsOfMessagesHavePlacesWhereTheirOperandsHave) {
  const auto plan_of = [](const std::string& operand) {
    return print(test::plan_of_device(R"(
group @pair = {ranks = [0, 1], stride = 2, backends = "cpu:shm,cuda:nccl"}
func @f(%x: f32[4] on cuda:0) -> (f32[4] on cuda:0) {
  %0 = add(%x, %x)
  %1 = all_to_all()" + operand + R"() {axis = 0, group = @pair}
  %2 = wait(%1)
  %3 = mul(%2, %0)
  return %3
})"));
  };
  EXPECT_THAT(plan_of("%x"), testing::Not(HasSubstr("symmetric at")));
  EXPECT_THAT(plan_of("%0"), HasSubstr("symmetric at 256 in @pair"));
}

// What the host's members would have in common lies with each, whatever its size and whatever the
// group asks for.
TEST(DevicePlan, LargeResultsOverNcclLieWithEachMember) {
  const Plan plan = plan_over_nccl("100000");
  EXPECT_NO_THROW(check(plan));
  EXPECT_THAT(print(plan), HasSubstr("400000 bytes on cuda:0"));
}

}  // namespace
}  // namespace tutti::codegen::device_region_test
