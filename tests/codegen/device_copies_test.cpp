// What collectives of a GPU's values through the host copy, on GPUs of ordinary memory whose
// streams work as late as they may.

#include <tutti/codegen/driver/executable.h>
#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/local.h>
#include <tutti/runtime/comm/shm/shm.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/codegen/device_rank.h"
#include "tests/runtime/processes.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::codegen::device_copies_test {
namespace {

using test::HostAccelerator;
using testing::ElementsAre;
using testing::HasSubstr;
using BufferPtr = std::shared_ptr<runtime::Buffer>;

// Two operands of one call.
constexpr const char* kTwoSums = R"(
group @pair = {ranks = [0, 1], stride = 2}
func @f(%x: f32[4] on cuda:0, %y: f32[2] on cuda:0) -> (f32[4] on cuda:0, f32[2] on cuda:0) {
  %0 = add(%x, %x)
  %1 = mul(%y, %y)
  %2, %3 = all_reduce(%0, %1) {op = "sum", group = @pair}
  %4 = wait(%2)
  %5 = wait(%3)
  %6 = mul(%4, %x)
  %7 = add(%5, %y)
  return %6, %7
})";

// What each of two ranks threw, "" for nothing.
std::vector<std::string> run_pair(const std::function<void(test::DeviceRank&, int)>& body) {
  // Over memory as processes have it in common.
  runtime::ShmOptions options{.rendezvous = runtime::fresh_rendezvous(), .ranks = 2};
  std::vector<std::string> thrown(2);
  std::vector<std::thread> threads;
  for (int r = 0; r < 2; ++r) {
    threads.emplace_back([&, r] {
      runtime::ShmOptions own = options;
      own.rank = r;
      test::DeviceRank rank(
          std::make_unique<runtime::HostBackend>(std::make_shared<runtime::ShmFabric>(own), r));
      try {
        body(rank, r);
        rank.context.backend->finish();
      } catch (const Error& error) {
        thrown[at(r)] = error.what();
      }
      rank.gpus[0]->broken.clear();
    });
  }
  for (std::thread& thread : threads) thread.join();
  return thrown;
}

void run_pair_well(const std::function<void(test::DeviceRank&, int)>& body) {
  EXPECT_THAT(run_pair(body), ElementsAre("", ""));
}

// Of the run of that number, which has other values than the one before.
void expect_two_sums(test::DeviceRank& rank, Executable& f, int r, int run) {
  const auto own = static_cast<float>(r + 1);
  const auto number = static_cast<float>(run);
  const std::vector<BufferPtr> inputs = {rank.put(Device::cuda(), {own, number, 3, 4}),
                                         rank.put(Device::cuda(), {own, number})};
  const auto results = f.run(inputs);
  EXPECT_THAT(rank.get(results[0]), ElementsAre(6 * own, 4 * number * number, 36, 64)) << run;
  EXPECT_THAT(rank.get(results[1]), ElementsAre(5 + own, 2 * number * number + number)) << run;
}

TEST(DeviceCopies, GoToTheGroupsMemoryItselfFromTheSecondRunOn) {
  run_pair_well([](test::DeviceRank& rank, int r) {
    Executable f(test::plan_of_device(kTwoSums, r), rank.context);
    HostAccelerator::Counts& counts = rank.gpus[0]->counts;
    for (int run = 0; run < 5; ++run) {
      counts = {};
      expect_two_sums(rank, f, r, run);
      const int brought_here = 2;  // by the test
      EXPECT_EQ(counts.copies_out, brought_here + (run == 0 ? 2 : 0)) << run;
      EXPECT_EQ(counts.begun_copies_out, run == 0 ? 0 : 2) << run;
      EXPECT_EQ(counts.registered, run == 1 ? 1 : 0) << run;
    }
  });
}

TEST(DeviceCopies, OfOneCallAreWaitedForTogether) {
  run_pair_well([](test::DeviceRank& rank, int r) {
    Executable f(test::plan_of_device(kTwoSums, r), rank.context);
    HostAccelerator::Counts& counts = rank.gpus[0]->counts;
    for (int run = 0; run < 3; ++run) {
      counts = {};
      expect_two_sums(rank, f, r, run);
    }
    EXPECT_EQ(counts.begun_copies_out, 2);
    EXPECT_EQ(counts.finished_copies_out, 1);
  });
}

TEST(DeviceCopies, GoThroughOtherMemoryWhereNoneCanBeRegistered) {
  run_pair_well([](test::DeviceRank& rank, int r) {
    rank.gpus[0]->refuses_to_register = r == 1;  // each rank for itself
    Executable f(test::plan_of_device(kTwoSums, r), rank.context);
    for (int run = 0; run < 4; ++run) expect_two_sums(rank, f, r, run);
    EXPECT_EQ(rank.gpus[0]->counts.begun_copies_out, r == 1 ? 0 : 6);
    EXPECT_EQ(rank.gpus[0]->counts.asked_to_register, 1) << "it is not asked again";
  });
}

// A process that is forked off takes private pages away from who writes to them next.
TEST(DeviceCopies, GoThroughOtherMemoryWherePagesArePrivate) {
  auto fabric = std::make_shared<runtime::LocalFabric>(2);
  std::vector<std::thread> threads;
  for (int r = 0; r < 2; ++r) {
    threads.emplace_back([&, r] {
      test::DeviceRank rank(fabric, r);
      Executable f(test::plan_of_device(kTwoSums, r), rank.context);
      for (int run = 0; run < 4; ++run) expect_two_sums(rank, f, r, run);
      EXPECT_EQ(rank.gpus[0]->counts.asked_to_register, 0);
      rank.context.backend->finish();
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// In steps of a loop, each of which reads what the one before has brought to the host.
TEST(DeviceCopies, OfLoopsAreThereWhenTheirStepsReadThem) {
  const char* const text = R"(
group @pair = {ranks = [0, 1], stride = 2}
private func @body(%x: f32[2] on cuda:0) -> (f32[2] on cuda:0) {
  %0 = add(%x, %x)
  %1 = all_reduce(%0) {op = "sum", group = @pair}
  %2 = wait(%1)
  return %2
}
func @f(%x: f32[2] on cuda:0) -> (f32[2] on cuda:0) {
  %0 = scan(%x) {body = @body, carries = 1, sequences = 0, length = 3}
  return %0
})";
  run_pair_well([&](test::DeviceRank& rank, int r) {
    Executable f(test::plan_of_device(text, r), rank.context);
    for (int run = 0; run < 4; ++run) {
      const auto own = static_cast<float>(r + 1);
      const auto number = static_cast<float>(run);
      const std::vector<BufferPtr> inputs = {rank.put(Device::cuda(), {own, number})};
      EXPECT_THAT(rank.get(f.run(inputs)[0]), ElementsAre(96, 64 * number)) << run;
    }
    EXPECT_EQ(rank.gpus[0]->counts.begun_copies_out, 9);
  });
}

// A GPU that breaks before the copies are over: what is read of them is nothing, and peers are
// told.
TEST(DeviceCopies, ThatFailAreToldBeforeAnybodyReadsThem) {
  const auto thrown = run_pair([](test::DeviceRank& rank, int r) {
    Executable f(test::plan_of_device(kTwoSums, r), rank.context);
    for (int run = 0; run < 2; ++run) expect_two_sums(rank, f, r, run);
    const std::vector<BufferPtr> inputs = {rank.put(Device::cuda(), {1, 2, 3, 4}),
                                           rank.put(Device::cuda(), {1, 2})};
    if (r == 1) rank.gpus[0]->broken = "the GPU is broken";
    rank.get(f.run(inputs)[0]);
  });
  EXPECT_THAT(thrown, testing::Each(HasSubstr("the GPU is broken")));
}

}  // namespace
}  // namespace tutti::codegen::device_copies_test
