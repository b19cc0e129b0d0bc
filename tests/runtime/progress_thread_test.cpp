#include <tutti/runtime/comm/progress_thread.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <thread>
#include <vector>

#include "tests/runtime/exchange_tables.h"
#include "tests/runtime/processes.h"
#include "tests/runtime/ranks.h"
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tutti::runtime::progress_thread_test {
namespace {

constexpr std::size_t kLargeElements = 50'000;  // above one-shot
constexpr std::chrono::seconds kPatience{60};   // of a test that fails

std::shared_ptr<LocalFabric> fabric_of(std::int64_t ranks) {
  return std::make_shared<LocalFabric>(ranks, HostOptions{.timeout = kPatience, .progress = true});
}

std::shared_ptr<Buffer> floats(std::size_t elements, float value) {
  auto* const data = new std::vector<float>(elements, value);
  return Buffer::wrap(data->data(), elements * sizeof(float), [data](void*) { delete data; });
}

std::shared_ptr<const PreparedCall> sum_of(Communicator& group, std::size_t elements) {
  return group.prepare({.kind = CollectiveKind::all_reduce,
                        .parts = {{.elements = static_cast<std::int64_t>(elements)}}});
}

// One rank starts and never looks again, until the other has seen that it is done.
class ProgressThreads : public testing::TestWithParam<std::size_t> {};

TEST_P(ProgressThreads, CompleteWhatARankDoesNotWaitFor) {
  std::barrier everybody(2);
  const auto thrown = run_ranks(fabric_of(2), [&](HostBackend& backend) {
    const auto group = backend.communicator(first_ranks(2), "pair");
    const auto call = sum_of(*group, GetParam());
    const std::shared_ptr<Buffer> operand =
        floats(GetParam(), 1.F + static_cast<float>(backend.rank()));
    const std::shared_ptr<Work> work = group->start(call, {{operand}});
    if (backend.rank() == 0) {
      EXPECT_NO_THROW(group->wait_released(work->sequence()));
    }
    everybody.arrive_and_wait();
    EXPECT_TRUE(work->test());
    EXPECT_EQ(*reinterpret_cast<const float*>(work->result(0)->data()), 3.F);
  });
  EXPECT_THAT(thrown, testing::Each(""));
}

INSTANTIATE_TEST_SUITE_P(Elements, ProgressThreads, testing::Values(5, kLargeElements));

// Two groups in one order: the thread goes past what a peer is late for.
TEST(ProgressThread, CompletesWhatCanBeWhereverItStands) {
  std::barrier everybody(3);
  const auto thrown = run_ranks(fabric_of(3), [&](HostBackend& backend) {
    std::shared_ptr<Work> late;
    std::shared_ptr<Work> work;
    std::shared_ptr<Buffer> operand = floats(5, 1.F);
    const auto all = backend.communicator(first_ranks(3), "all");
    const auto call = sum_of(*all, 5);
    if (backend.rank() < 2) {
      const auto pair = backend.communicator(first_ranks(2), "pair");
      late = all->start(call, {{operand}});
      work = pair->start(sum_of(*pair, 5), {{operand}});
      const auto start = std::chrono::steady_clock::now();
      while (!work->test() && std::chrono::steady_clock::now() - start < kPatience) {
        std::this_thread::yield();
      }
      EXPECT_TRUE(work->test());
    }
    everybody.arrive_and_wait();
    if (backend.rank() == 2) late = all->start(call, {{operand}});
    late->wait();
    EXPECT_EQ(*reinterpret_cast<const float*>(late->result(0)->data()), 3.F);
  });
  EXPECT_THAT(thrown, testing::Each(""));
}

// What a user gave is dropped by his own thread, however far the other one is.
TEST(ProgressThread, DropsNothingOfTheUsers) {
  std::barrier everybody(2);
  const auto thrown = run_ranks(fabric_of(2), [&](HostBackend& backend) {
    const auto group = backend.communicator(first_ranks(2), "pair");
    std::atomic<bool> elsewhere{false};
    std::vector<float> data(kLargeElements, 1.F);
    const auto own = std::this_thread::get_id();
    std::shared_ptr<Buffer> operand =
        Buffer::wrap(data.data(), data.size() * sizeof(float),
                     [&](void*) { elsewhere = std::this_thread::get_id() != own; });
    const auto call = sum_of(*group, kLargeElements);
    const std::shared_ptr<Work> work = group->start(call, {{operand}});
    operand.reset();
    EXPECT_NO_THROW(group->wait_released(work->sequence()));
    everybody.arrive_and_wait();
    EXPECT_FALSE(elsewhere);
    group->close();
    EXPECT_FALSE(elsewhere);
  });
  EXPECT_THAT(thrown, testing::Each(""));
}

TEST(ProgressThread, TellsWhyACallFailed) {
  const auto thrown = run_ranks(fabric_of(2), [&](HostBackend& backend) {
    const auto group = backend.communicator(first_ranks(2), "pair");
    const std::size_t elements = backend.rank() == 0 ? 5 : 6;
    const std::shared_ptr<Work> work =
        group->start(sum_of(*group, elements), {{floats(elements, 1.F)}});
    work->wait();
  });
  EXPECT_THAT(thrown, testing::Each(testing::HasSubstr("does not match")));
}

TEST(ProgressThread, LeavesResultsAsTheyAre) {
  const auto in_threads = [](std::int64_t ranks, const std::function<void(HostBackend&)>& body) {
    EXPECT_THAT(run_ranks(fabric_of(ranks), body), testing::Each(""));
  };
  run_exchanges(in_threads, 3, every_kind_and_place(3));
  run_exchanges(in_threads, 3, lists(3));
  run_exchanges(in_threads, 4, mixed_in_two_groups(4, 300));
}

// A process that is forked off has no such thread: it neither waits for its turn nor for its end.
TEST(ProgressThread, IsNotThereInAProcessThatIsForkedOff) {
  const auto thrown = run_ranks(fabric_of(2), [&](HostBackend& backend) {
    const auto group = backend.communicator(first_ranks(2), "pair");
    const std::shared_ptr<Work> work = group->start(sum_of(*group, 5), {{floats(5, 1.F)}});
    work->wait();
    if (backend.rank() == 0) {
      const pid_t child = fork();
      if (child == 0) {
        alarm(20);
        work->wait();
        backend.leave("");
        _exit(work->test() ? 0 : 1);
      }
      int status = -1;
      waitpid(child, &status, 0);
      EXPECT_EQ(status, 0);
    }
    group->start(sum_of(*group, 5), {{floats(5, 1.F)}})->wait();
  });
  EXPECT_THAT(thrown, testing::Each(""));
}

}  // namespace
}  // namespace tutti::runtime::progress_thread_test
